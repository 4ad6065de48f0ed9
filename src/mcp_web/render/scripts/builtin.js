// An element for reading its built-in properties and methods. Those of a form are hidden by its controls: `form.id` is the
// control that is named "id". For our isolated world only forms are so; in it a document has no such properties.
(element) => {
  if (element?.[Symbol.toStringTag] !== "HTMLFormElement") return element;
  const get = (_, name) => {
    const value = Reflect.get(Object.getPrototypeOf(element), name, element);
    return typeof value === "function" ? value.bind(element) : value;
  };
  return new Proxy({}, { get });
}
