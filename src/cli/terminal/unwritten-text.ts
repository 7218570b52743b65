/** What is told of an output that could not be written, such as into a full disk. Imports nothing: `ralph --version` needs it. */
export function toUnwrittenText(failure: string): string {
  return `ralph: the output could not be written (${failure}).\n`;
}
