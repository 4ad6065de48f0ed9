"""Every flag that Chromium is started with."""

from __future__ import annotations

# Features that would contact a service, silently change a URL's scheme or alter how a page is shown.
FEATURES_OFF = (
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay",
    "MediaRouter",
    "DialMediaRouteProvider",
    "PaintHolding",
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "AimEnabled",
    "PreconnectToSearch",
    "Translate",
    "AutofillServerCommunication",
    "SpareRendererForSitePerProcess",
    "Prerender2",
    "PrefetchProxy",
    # Each window would load the address bar's menus, in a renderer process of their own.
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
    "WebOTP",
    "WebUSB",
)


def chromium_flags(proxy_port: int) -> list[str]:
    """The flags for a browser that can reach nothing but the proxy on this port."""
    return [
        "--headless",
        "--remote-debugging-pipe",
        "--no-startup-window",
        # Network.
        f"--proxy-server=http://127.0.0.1:{proxy_port}",
        "--proxy-bypass-list=<-loopback>",  # without it loopback and link-local addresses skip the proxy
        "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",  # the browser never looks a name up itself
        "--disable-quic",
        # STUN over UDP ignores proxies. The flag with `force-` in its name does not stop it, this one does.
        "--webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-domain-reliability",
        "--disable-field-trial-config",
        "--disable-sync",
        "--no-pings",
        f"--disable-features={','.join(FEATURES_OFF)}",
        # Nothing in the background, no questions, no services.
        "--disable-breakpad",
        "--disable-crash-reporter",
        "--disable-component-extensions-with-background-pages",
        "--disable-default-apps",
        "--disable-dev-shm-usage",  # /dev/shm is 64 MB in a container
        "--disable-extensions",
        "--disable-gpu",
        "--disable-hang-monitor",
        "--disable-infobars",
        "--disable-notifications",
        "--disable-print-preview",
        "--disable-prompt-on-repost",
        "--disable-search-engine-choice-screen",
        "--disable-speech-api",
        "--disable-stack-profiler",
        "--metrics-recording-only",
        "--mute-audio",
        "--no-default-browser-check",
        "--no-first-run",
        "--password-store=basic",
        "--use-mock-keychain",
        "--deny-permission-prompts",
        "--js-flags=--max-old-space-size=768",
        # How pages are shown.
        "--disable-back-forward-cache",
        "--disable-background-timer-throttling",
        "--disable-backgrounding-occluded-windows",
        "--disable-renderer-backgrounding",
        "--force-color-profile=srgb",
        "--hide-scrollbars",
        # Report a mouse, as on a desktop: pages query it and may show something else without one. A page that declares
        # no encoding is read as UTF-8 if it is valid UTF-8; other encodings are detected as before.
        "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4"
        ",defaultTextEncodingName=UTF-8",
    ]
