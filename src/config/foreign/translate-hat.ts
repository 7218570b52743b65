import {
  createEmptyMap,
  type LocatedEntry,
  type LocatedMap,
  type LocatedScalar,
  type LocatedValue,
  type Path,
  type Place,
} from '../findings/located.ts';

/** `extra_instructions` (one text or a list of them) follow the hat's own, a blank line between. */
export function joinInstructions(hat: LocatedMap): LocatedMap {
  const extra = hat.entries.get('extra_instructions');
  if (extra === undefined) return hat;
  const items = extra.value.kind === 'list' ? extra.value.items : [extra.value];
  const texts = items.filter(isText);
  if (texts.length < items.length) return hat;
  const own = hat.entries.get('instructions');
  if (own !== undefined && !isText(own.value)) return hat;
  const rest = withoutEntry(hat, ['extra_instructions']);
  const all = [...(own === undefined || !isText(own.value) ? [] : [own.value]), ...texts].map((text) => text.value.trimEnd());
  const key = own?.key ?? extra.key;
  const place = own?.value.place ?? extra.value.place;
  return withEntry(rest, ['instructions'], { key, value: toTextAt(place, all.filter((text) => text !== '').join('\n\n')) });
}

/** `backend_args` and `args` of a hat become arguments of its backend; a backend that has its own arguments keeps them in front. */
export function mergeBackendArgs(hat: LocatedMap): LocatedMap {
  const name = hat.entries.has('backend_args') ? 'backend_args' : 'args';
  const args = hat.entries.get(name);
  if (args === undefined) return hat;
  const rest = withoutEntry(hat, [name]);
  const backend = rest.entries.get('backend');
  if (backend === undefined) return withEntry(rest, ['backend', 'args'], args);
  if (isText(backend.value)) {
    const entries = new Map([
      ['type', { key: backend.value.place, value: backend.value as LocatedValue }],
      ['args', args],
    ]);
    return withEntry(rest, ['backend'], { key: backend.key, value: { kind: 'map', entries, place: backend.value.place } });
  }
  if (backend.value.kind !== 'map') return hat;
  const own = backend.value.entries.get('args')?.value;
  const items = [...(own?.kind === 'list' ? own.items : []), ...(args.value.kind === 'list' ? args.value.items : [args.value])];
  return withEntry(rest, ['backend', 'args'], { key: args.key, value: { kind: 'list', items, place: args.value.place } });
}

function isText(value: LocatedValue): value is LocatedScalar & { readonly value: string } {
  return value.kind === 'scalar' && typeof value.value === 'string';
}

/** The entry that a path of keys leads to. */
export function findEntry(root: LocatedMap, path: Path): LocatedEntry | undefined {
  const [name, ...rest] = path;
  const entry = root.entries.get(String(name));
  if (entry === undefined || rest.length === 0) return entry;
  return entry.value.kind === 'map' ? findEntry(entry.value, rest) : undefined;
}

/** The same map with an entry more, or another one in its place; maps on the way are made where they are missing. */
export function withEntry(root: LocatedMap, path: Path, entry: LocatedEntry): LocatedMap {
  const [head, ...rest] = path;
  const name = String(head);
  const entries = new Map(root.entries);
  if (rest.length === 0) entries.set(name, entry);
  else {
    const below = root.entries.get(name);
    const inner: LocatedMap = below?.value.kind === 'map' ? below.value : createEmptyMap(entry.key);
    entries.set(name, { key: below?.key ?? entry.key, value: withEntry(inner, rest, entry) });
  }
  return { ...root, entries };
}

export function withoutEntry(root: LocatedMap, path: Path): LocatedMap {
  const [head, ...rest] = path;
  const name = String(head);
  const below = root.entries.get(name);
  if (below === undefined) return root;
  const entries = new Map(root.entries);
  if (rest.length === 0) entries.delete(name);
  else if (below.value.kind === 'map') entries.set(name, { key: below.key, value: withoutEntry(below.value, rest) });
  return { ...root, entries };
}

/** A text that is nowhere written, at the place of what it comes from. */
function toTextAt(place: Place, text: string): LocatedScalar {
  return { kind: 'scalar', value: text, written: text, place };
}

/** A plain value at the place of what it comes from. */
export function toValueAt(place: Place, value: string | readonly string[]): LocatedValue {
  if (typeof value === 'string') return toTextAt(place, value);
  return { kind: 'list', items: value.map((item) => toTextAt(place, item)), place };
}
