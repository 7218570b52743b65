import { createHash } from 'node:crypto';
import { createReadStream, lstatSync, mkdirSync, statSync, utimesSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { toShellWord } from '../core/text/shell-word.ts';
import { isRalphError, RalphError, toErrorCode, toErrorMessage } from '../core/values/errors.ts';
import { isJsonObject, type Json } from '../core/values/json.ts';
import {
  type BlobReading,
  type Blobs,
  type Fleet,
  type FleetFate,
  type SteerLine,
  type Wires,
  WORKER_GONE_MS,
  type WorkerList,
  type WorkerState,
} from '../ports/fleet.ts';
import { requirePart, toKey } from './fleet-names.ts';
import {
  dropDraft,
  type FolderPlaces,
  findFileText,
  findMark,
  isDraftName,
  linkDraft,
  listFolderNames,
  makeFolder,
  makeInside,
  syncFolder,
  toFolderGone,
  toPlaces,
  writeDraft,
} from './folder-files.ts';
import { type FolderPost, openFolderPost, readMoment, secondsSince } from './folder-post.ts';
import { createFolderQueue } from './folder-queue.ts';
import { createFolderLeases, createFolderLog, createFolderReports, createFolderWords } from './folder-runs.ts';
import { type FolderState, openFolderState } from './folder-state.ts';
import { sweepFolder } from './folder-sweep.ts';
import { parseWorker } from './kept-states.ts';
import { hearOnce } from './messages.ts';
import { toTooLarge } from './too-large.ts';

const MARKER = 'ralph-fleet.json';
const VERSION = 1;

/**
 * Opens a fleet in a folder, for processes of one machine. Nobody has to serve it.
 *
 * @param isLook whether it has to be there: a fleet that is only looked at is not made
 * @throws RalphError `fleet-folder`
 */
export async function openFolderFleet(root: string, isLook = false): Promise<Fleet> {
  try {
    if (isLook && findFileText(join(root, MARKER)) === null)
      throw toUnfit(
        `There is no fleet in the folder ${root}.`,
        `See whether the path is right. A worker makes one: ralph worker --nats ${toShellWord(`file:${root}`)}`,
      );
    const places = await makePlaces(root);
    const { check, requireOwn } = createIdentity(root);
    const state = openFolderState(places, undefined, requireOwn);
    await sweepFolder(places, state);
    const post = openFolderPost(places);
    const [reports, log] = [createFolderReports(places), createFolderLog(places)];
    return {
      check: async () => check(),
      queue: createFolderQueue(state),
      reports: { ...reports, append: whileOwn(requireOwn, reports.append) },
      blobs: createBlobs(places),
      wires: createWires(post),
      workers: createWorkerList(state, post),
      log: { ...log, append: whileOwn(requireOwn, log.append) },
      leases: createFolderLeases(state),
      steer: createSteerLine(post),
      words: createFolderWords(places, requireOwn),
      close: async () => {
        post.close();
        state.close();
      },
    };
  } catch (error) {
    if (isRalphError(error)) throw error;
    throw toUnfit(
      `The folder ${root} cannot be used for a fleet: ${toErrorMessage(error)}.`,
      'Name another one: file:/absolute/folder',
      error,
    );
  }
}

/** Which fleet it is is said by the file with which it began: that of one that was made later has another number, or another time. */
function createIdentity(root: string): { readonly check: () => FleetFate; readonly requireOwn: () => void } {
  const marker = join(root, MARKER);
  const own = findMark(marker);
  const check = (): FleetFate => {
    const now = findMark(marker);
    return now === null ? 'gone' : now === own ? 'same' : 'other';
  };
  return {
    check,
    requireOwn: () => {
      const fate = check();
      if (fate === 'gone') throw toFolderGone(marker);
      if (fate === 'other') throw new Error(`the fleet's folder was removed and made again: ${root} is another fleet`);
    },
  };
}

function whileOwn<Given extends readonly unknown[], Result>(
  requireOwn: () => void,
  act: (...given: Given) => Promise<Result>,
): (...given: Given) => Promise<Result> {
  return async (...given) => {
    requireOwn();
    return act(...given);
  };
}

function toUnfit(what: string, fix: string, cause?: unknown): RalphError {
  return new RalphError({
    code: 'fleet-folder',
    what,
    why: 'Turns, reports and files of that fleet go through the folder: it has to be on a disk of this machine, and yours alone.',
    fix,
    cause,
  });
}

async function makePlaces(root: string): Promise<FolderPlaces> {
  await makeFolder(root);
  const { uid, mode } = statSync(root);
  // Who may write there has commands run on every worker.
  if (process.getuid !== undefined && uid !== process.getuid()) throw toUnfit(`The folder ${root} is not yours.`, 'Name one that is');
  if ((mode & 0o077) !== 0)
    throw toUnfit(`Others than you can look into the folder ${root}, or write there.`, `chmod 700 ${root}, if it holds nothing else`);
  const places = toPlaces(root);
  const isEmpty = listFolderNames(root).every((name) => join(root, name) === places.drafts);
  const isUnused = isEmpty && listFolderNames(places.drafts).every(isDraftName);
  // It is made before the rest is, so it is read behind that: another process may be making it.
  const marker = findFileText(join(root, MARKER));
  if (marker === null && !isUnused)
    throw toUnfit(`The folder ${root} is not empty, and holds no fleet.`, 'Name another one: file:/absolute/folder');
  const text = `${JSON.stringify({ v: VERSION })}\n`;
  if (marker !== null && marker !== text)
    throw toUnfit(`The fleet in the folder ${root} is one of another version of Ralph.`, 'Use that version, or name another folder');
  mkdirSync(places.drafts, { recursive: true, mode: 0o700 });
  if (marker === null) await tryLinks(places, join(root, MARKER), text);
  for (const place of Object.values(places)) await makeFolder(place);
  return places;
}

/** All stands on that a name is given once. */
async function tryLinks({ drafts }: FolderPlaces, path: string, text: string): Promise<void> {
  const draft = await writeDraft(drafts, text);
  try {
    linkDraft(draft, path);
    if (linkDraft(draft, path) !== 'taken') throw new Error('its file system gives a name twice');
    await syncFolder(dirname(path));
  } finally {
    await dropDraft(draft);
  }
}

const DAY_MS = 24 * 3600 * 1000;

function createBlobs({ blobs, drafts }: FolderPlaces): Blobs {
  const toHash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
  const toPath = (hash: string): string => join(blobs, hash.slice(0, 2), hash);
  return {
    put: async (bytes) => {
      const hash = toHash(bytes);
      const path = toPath(hash);
      const known = lstatSync(path, { throwIfNoEntry: false });
      if (known !== undefined && known.size === bytes.length) {
        // What is used again is not forgotten.
        if (Date.now() - known.mtimeMs > DAY_MS) utimesSync(path, new Date(), new Date());
        return hash;
      }
      makeInside(dirname(path));
      await syncFolder(blobs);
      const draft = await writeDraft(drafts, bytes);
      await rename(draft, path).finally(() => dropDraft(draft));
      await syncFolder(dirname(path));
      return hash;
    },
    get: async (hash, reading) => {
      const bytes = /^[0-9a-f]{64}$/.test(hash) ? await readBounded(toPath(hash), reading) : null;
      return bytes !== null && toHash(bytes) === hash ? bytes : null;
    },
  };
}

/** A file as it comes; `null`: it is not there. Rejects where nobody wants it any more. */
async function readBounded(
  path: string,
  { maxBytes = Number.POSITIVE_INFINITY, onBytes, signal }: BlobReading = {},
): Promise<Uint8Array | null> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of createReadStream(path, signal === undefined ? {} : { signal }) as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > maxBytes) throw toTooLarge('A file', maxBytes);
      parts.push(part);
      onBytes?.(part.length);
    }
  } catch (error) {
    if (toErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
  return Buffer.concat(parts);
}

/** How long a worker may take to say that it heard. */
const ANSWER_MS = 1000;

function createWires(post: FolderPost): Wires {
  return {
    ask: async (id, words) => (await post.ask(`ask.${toKey(id)}`, words, ANSWER_MS)) !== undefined,
    answer: (id, hear) =>
      post.listen(`ask.${toKey(id)}`, (words, answer) => {
        answer(true);
        hear(words);
      }),
    show: ({ run, name }, live) => {
      toKey({ run, name });
      post.tell(`live.${run}`, { name, live });
    },
    watch: (run, see) => {
      requirePart(run);
      return post.listen(`live.${run}`, (words) => {
        if (isJsonObject(words) && typeof words['name'] === 'string') see(words['name'], words['live'] ?? null);
      });
    },
  };
}

/** The process that has a run waits some seconds until the journal has what it was told. */
const SAID_MS = 10_000;

function createSteerLine(post: FolderPost): SteerLine {
  const toSubject = (run: string): string => {
    requirePart(run);
    return `steer.${run}`;
  };
  return {
    ask: async (run, word) => (await post.ask(toSubject(run), { ...word }, SAID_MS)) ?? null,
    answer: (run, hear) => {
      const take = hearOnce(hear);
      return post.listen(toSubject(run), (word, answer) => {
        void take(JSON.stringify(word)).then((said) => {
          if (said !== null) answer(said);
        });
      });
    },
  };
}

const WORKER = 'worker.';

function createWorkerList(state: FolderState, post: FolderPost): WorkerList {
  const toSubject = (id: string): string => {
    requirePart(id);
    return `drain.${id}`;
  };
  /** What cannot be read is nobody's, and is written over; so is one that has said nothing for too long. */
  const look = (id: string): { readonly worker: WorkerState | null; readonly revision: number } => {
    requirePart(id);
    const kept = state.get(WORKER + id);
    return { worker: parseLiving(kept?.value), revision: kept?.revision ?? 0 };
  };
  return {
    tell: async (worker) => {
      for (;;) {
        const kept = look(worker.id);
        if (kept.worker !== null && kept.worker.token !== worker.token) return false;
        const value = { worker, since: readMoment() } as unknown as Json;
        if ((await state.change(WORKER + worker.id, value, kept.revision)) !== null) return true;
      }
    },
    leave: async ({ id, token }) => {
      const kept = look(id);
      if (kept.worker?.token === token) await state.change(WORKER + id, null, kept.revision);
    },
    list: async () =>
      state.list(WORKER).flatMap(([, { value }]) => {
        const worker = parseLiving(value);
        return worker === null ? [] : [{ ...worker, silentMs: toSilence(value) }];
      }),
    drain: async (id) => (await post.ask(toSubject(id), null, ANSWER_MS)) !== undefined,
    onDrain: (id, hear) =>
      post.listen(toSubject(id), (_, answer) => {
        answer(true);
        hear();
      }),
  };
}

function parseLiving(value: Json | undefined): WorkerState | null {
  if (!isJsonObject(value) || toSilence(value) > WORKER_GONE_MS) return null;
  return parseWorker(value['worker'])[0] ?? null;
}

function toSilence(value: Json): number {
  return isJsonObject(value) ? secondsSince(value['since'], readMoment()) * 1000 : Number.POSITIVE_INFINITY;
}
