/** The value that a record has under a name of somebody else's: what records inherit (`constructor`) is none of it. */
export function readOwn<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
