/** Milliseconds of a clock that only goes forward, whatever is set. As `performance.now()`, which at its first use costs a run two milliseconds of loading. */
export function steadyMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
