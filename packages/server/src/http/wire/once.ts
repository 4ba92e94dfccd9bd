/** What is made of an object, made once and kept as long as the object. */
export function once<Source extends object, Made>(make: (source: Source) => Made): (source: Source) => Made {
  const known = new WeakMap<Source, { readonly made: Made }>();
  return (source) => {
    let kept = known.get(source);
    if (kept === undefined) {
      kept = { made: make(source) };
      known.set(source, kept);
    }
    return kept.made;
  };
}
