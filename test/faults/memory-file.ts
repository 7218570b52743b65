import { drawInteger, drawOne, type Random, shuffle } from './seeded-random.ts';

/** A change of a file that no sync has covered yet. */
type FileChange =
  | { readonly kind: 'write'; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly sizeBytes: number };

/** The unit in which a disk tears a write; tiny, so that small files tear in many ways. */
const SECTOR_BYTES = 8;

/** A file as programs see it, and as it would be found after a power loss. */
export interface MemoryFile {
  readonly content: () => Buffer;
  readonly write: (at: number, bytes: Uint8Array) => void;
  readonly truncate: (sizeBytes: number) => void;
  readonly sync: () => void;
  /** The disk's own view becomes everybody's: each change since the last sync was kept, lost, torn, zeroed or garbled, in any order. */
  readonly losePower: (random: Random) => void;
  modifiedAt: number;
}

export function createMemoryFile(now: number): MemoryFile {
  let current: Buffer = Buffer.alloc(0);
  let durable: Buffer = current;
  let changes: FileChange[] = [];
  const change = (step: FileChange): void => {
    changes.push(step);
    current = applyChange(current, step);
  };
  return {
    modifiedAt: now,
    content: () => current,
    write: (at, bytes) => change({ kind: 'write', at, bytes: Buffer.from(bytes) }),
    truncate: (sizeBytes) => change({ kind: 'truncate', sizeBytes }),
    sync: () => {
      durable = current;
      changes = [];
    },
    losePower: (random) => {
      const ordered = random() < 0.5 ? changes : shuffle(random, changes);
      current = ordered.flatMap((step) => damageChange(step, random)).reduce(applyChange, durable);
      durable = current;
      changes = [];
    },
  };
}

function applyChange(content: Buffer, step: FileChange): Buffer {
  if (step.kind === 'truncate') {
    const grown = Buffer.alloc(step.sizeBytes);
    content.copy(grown);
    return grown;
  }
  const changed = Buffer.alloc(Math.max(content.length, step.at + step.bytes.length));
  content.copy(changed);
  step.bytes.copy(changed, step.at);
  return changed;
}

/** What reached the disk of one change. */
function damageChange(step: FileChange, random: Random): readonly FileChange[] {
  if (step.kind === 'truncate') return random() < 0.5 ? [step] : [];
  const fate = drawOne(random, ['kept', 'kept', 'lost', 'torn', 'zeroed', 'garbled']);
  if (fate === 'kept') return [step];
  if (fate === 'lost') return [];
  if (fate === 'torn') return tear(step, random);
  const bytes = Buffer.from(step.bytes);
  const from = drawInteger(random, bytes.length);
  const to = from + 1 + drawInteger(random, bytes.length - from);
  if (fate === 'zeroed') return [{ ...step, bytes: bytes.fill(0, from, to) }];
  for (let at = from; at < to; at += 1) bytes[at] = (bytes[at] ?? 0) ^ (1 << drawInteger(random, 8));
  return [{ ...step, bytes }];
}

/** Some sectors of a write, the others not. */
function tear(step: Extract<FileChange, { kind: 'write' }>, random: Random): readonly FileChange[] {
  const pieces: FileChange[] = [];
  const onlyFirst = random() < 0.5 ? drawInteger(random, step.bytes.length) : Number.POSITIVE_INFINITY;
  for (let at = 0; at < step.bytes.length; at += SECTOR_BYTES) {
    const keeps = onlyFirst === Number.POSITIVE_INFINITY ? random() < 0.5 : at < onlyFirst;
    if (keeps) pieces.push({ kind: 'write', at: step.at + at, bytes: step.bytes.subarray(at, at + SECTOR_BYTES) });
  }
  return pieces;
}
