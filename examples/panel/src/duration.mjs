/** A time in seconds, for people. */
export function toText(seconds) {
  const minutes = Math.floor(seconds / 60);
  return `${minutes} min ${Math.round(seconds % 60)} s`;
}
