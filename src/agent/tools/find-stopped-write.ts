/** What the kernel says when somebody writes where the sandbox shows everything read-only. */
const READ_ONLY = /\bread-only file system\b|\bEROFS\b/i;
const MAX_LENGTH = 200;

/** The first line of an output that tells of a write which the sandbox stopped; `null` where there is none. */
export function findStoppedWrite(output: string): string | null {
  const line = output.split('\n').find((text) => READ_ONLY.test(text));
  return line === undefined ? null : line.trim().slice(0, MAX_LENGTH);
}
