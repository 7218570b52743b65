/** The name of a person as agents read it: nothing in it looks like more than a name. */
export function toSpeakerName(by: string): string {
  return by.replace(/[^\w.@ -]/g, '?');
}
