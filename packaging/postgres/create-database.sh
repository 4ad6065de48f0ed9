#!/bin/sh
# The server's user is no superuser: row-level security does not bind one.
set -e
psql --set=password="$MCP_WEB_PASSWORD" --username postgres <<'SQL'
CREATE ROLE mcp_web LOGIN PASSWORD :'password';
CREATE DATABASE mcp_web OWNER mcp_web;
\connect mcp_web
CREATE EXTENSION vector;
SQL
