/** The last part of an address, made of a title. */
export function slugify(title) {
  throw new Error(`not written yet: ${title}`);
}
