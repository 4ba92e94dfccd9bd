export const realmFunctions = ["bind", "write", "writeSettled", "explain", "isInputDeclared"] as const;
export type RealmFunction = (typeof realmFunctions)[number];

/**
 * The part of the sandbox that runs inside QuickJS, evaluated once before any script. It gives a list of functions, in
 * the order of `realmFunctions`.
 *
 * Scripts may change every prototype and global before these run again, so they use only what they took beforehand,
 * own members and operators: no method calls on values, no iteration protocol, no stores into arrays. All text comes
 * from the original JSON.stringify, so that it is JSON whatever the script has done. A walk in JavaScript that writes
 * the text itself took five times as long on 600 KB.
 */
export const realmSource = `(random) => {
  "use strict";
  const global = globalThis;
  const { Number, String, TypeError } = global;
  const { parse, stringify } = JSON;
  const { isArray } = Array;
  const { isView } = ArrayBuffer;
  const { isError } = Error;
  const { create, defineProperty, getPrototypeOf, keys } = Object;
  const unbound = (method) => Function.prototype.call.bind(method);
  const objectPrototype = Object.prototype;
  const objectText = objectPrototype.toString;
  const isPrototypeOf = unbound(objectPrototype.isPrototypeOf);
  const errorText = unbound(Error.prototype.toString);
  const mapPrototype = Map.prototype;
  const mapForEach = unbound(mapPrototype.forEach);
  const mapGet = unbound(mapPrototype.get);
  const mapSet = unbound(mapPrototype.set);
  const promisePrototype = Promise.prototype;
  const dataViewPrototype = DataView.prototype;

  // QuickJS seeds its generator once per context; a context that is put back from an image would repeat itself.
  Math.random = random;

  const convert = (_name, value) => {
    switch (typeof value) {
      case "string":
      case "boolean":
        return value;
      case "number":
        return value - value === 0 ? value : "" + value;
      case "bigint":
        return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : "" + value;
      case "undefined":
        return null;
      case "object": {
        if (value === null || isArray(value)) return value;
        const prototype = getPrototypeOf(value);
        return prototype === objectPrototype || prototype === null ? value : convertSpecial(value);
      }
      default:
        return {};
    }
  };

  // The same object gives the same copy, so that JSON.stringify finds a map that contains itself.
  const copies = new Map();

  const convertSpecial = (value) => {
    if (isPrototypeOf(promisePrototype, value)) {
      throw new TypeError("A promise is not supported as the result of a script");
    }
    const known = mapGet(copies, value);
    if (known !== undefined) return known;
    const copy = emptyCopy(value);
    if (copy === undefined) return value;
    mapSet(copies, value, copy);
    fillCopy(copy, value);
    return copy;
  };

  const emptyCopy = (value) => {
    if (isPrototypeOf(mapPrototype, value)) return create(null);
    return isTypedArray(value) ? [] : undefined;
  };

  const isTypedArray = (value) => isView(value) && !isPrototypeOf(dataViewPrototype, value);

  const fillCopy = (copy, value) => {
    if (isPrototypeOf(mapPrototype, value)) {
      mapForEach(value, (member, name) => {
        copy[String(name)] = member;
      });
    } else {
      const { length } = keys(value);
      for (let i = 0; i < length; i++) append(copy, value[i]);
    }
  };

  const append = (list, value) => {
    defineProperty(list, list.length, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
  };

  // Whatever a toJSON gives goes through convert, which leaves nothing that JSON.stringify would not write.
  const write = (value) => stringify(value, convert);

  const thrownText = (thrown) => {
    if (typeof thrown !== "object" || thrown === null) return String(thrown);
    return thrown.toString === objectText || thrown.toString === undefined ? write(thrown) : String(thrown);
  };

  const bind = (inputText) => {
    global.$ = parse(inputText);
  };

  const explain = (thrown) => {
    if (!isError(thrown)) return stringify(thrownText(thrown)) + '\\n""';
    const stack = thrown.stack;
    return stringify(errorText(thrown)) + "\\n" + stringify(typeof stack === "string" ? stack : "");
  };

  return [
    bind,
    write,
    (settled) => write(settled.value),
    explain,
    () => (global.$ === undefined ? 0 : 1),
  ];
}`;
