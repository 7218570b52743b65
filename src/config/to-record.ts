/** A record of what has names that the user chose. It has no inherited names: a hat may be called `__proto__` or `toString`. */
export function toRecord<Value>(entries: Iterable<readonly [name: string, value: Value]>): Readonly<Record<string, Value>> {
  const record = Object.create(null) as Record<string, Value>;
  for (const [name, value] of entries) record[name] = value;
  return record;
}
