import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { toErrorCode } from '../core/values/errors.ts';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../core/values/json.ts';
import { createBell, type FolderPlaces, findFileText, listFolderNames, makeInside } from './folder-files.ts';

/** What passes by between the processes of a machine: at most once, and nothing is kept. */
export interface FolderPost {
  /** Tells all who listen. */
  readonly tell: (subject: string, words: Json) => void;
  /** Asks all who listen; the first answer. Undefined: nobody listens, or nobody answered in time. */
  readonly ask: (subject: string, words: Json, timeoutMs: number) => Promise<Json | undefined>;
  /** The function that is returned ends it. */
  readonly listen: (subject: string, hear: (words: Json, answer: (said: Json) => void) => void) => () => void;
  readonly close: () => void;
}

const SAY_ALIVE_MS = 2000;
/** Who has not said for so long that it lives is not asked. In seconds. */
const SILENT_S = 10;
/** Who is silent for so long is removed; it says what it listens to anew if it wakes up. */
const LOST_S = 60;
const ALIVE = 'alive';
const MAX_TRIES = 100;
/** More of it that waits for one process is not for the one that is meant any more: a process that is frozen reads none. */
const MAX_WAITING = 2000;
const COUNT_EVERY = 100;

/** A moment of this machine, whose clock can be put back, but not this. */
export interface BootMoment {
  readonly boot: string;
  readonly at: number;
}

export function readMoment(): BootMoment {
  return { boot: readBoot(), at: uptime() };
}

/** Differs after the machine was started anew, where the system says so. */
function readBoot(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

/** For how many seconds it has been that moment; infinite where it was before the machine was started. */
export function secondsSince(value: Json | undefined, now: BootMoment): number {
  if (!isJsonObject(value)) return Number.POSITIVE_INFINITY;
  const { boot, at } = value;
  // Counted in whole seconds on some systems.
  if (boot !== now.boot || typeof at !== 'number' || at > now.at + 2) return Number.POSITIVE_INFINITY;
  return Math.max(0, now.at - at);
}

/**
 * Each process has a folder into which others write; what it listens to is said by empty files: `subjects/<subject>/<process>`.
 */
export function openFolderPost(places: FolderPlaces): FolderPost {
  const own = randomUUID();
  const inbox = join(places.peers, own);
  const asked = new Map<string, (said: Json | undefined) => void>();
  const mail = createMail(places, own);
  const listeners = createListeners(places, mail, own);
  const say = (): void => {
    if (existsSync(inbox)) mail.put(ALIVE, inbox, readMoment() as unknown as Json);
    else appear(places, inbox);
    listeners.noteAll();
  };
  const take = (message: Json | undefined): void => {
    if (!isJsonObject(message)) return;
    const { subject, words = null, id } = message;
    if (typeof subject === 'string') listeners.hear(subject, message);
    else if (typeof id === 'string') asked.get(id)?.(words);
  };
  const read = (): void => {
    for (const name of [...listFolderNames(inbox)].sort()) {
      if (name === ALIVE) continue;
      const text = findFileText(join(inbox, name));
      rmSync(join(inbox, name), { force: true });
      // What passes by may be anything.
      quietly(() => take(parseJson(text ?? '')));
    }
  };
  say();
  mail.sweep();
  const unwatch = createBell(inbox, read);
  // It keeps the process alive, as a connection would.
  const timer = setInterval(() => quietly(say), SAY_ALIVE_MS);
  return {
    listen: listeners.listen,
    tell: (subject, words) => quietly(() => mail.listListening(subject).forEach((peer) => mail.send(peer, { subject, words }, true))),
    ask: (subject, words, timeoutMs) => {
      const id = randomUUID();
      const sent = mail.listListening(subject).map((peer) => mail.send(peer, { subject, words, from: own, id }));
      if (!sent.includes(true)) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        const end = (said: Json | undefined): void => {
          clearTimeout(timeout);
          asked.delete(id);
          resolve(said);
        };
        const timeout = setTimeout(end, timeoutMs, undefined);
        asked.set(id, end);
      });
    },
    close: () => {
      clearInterval(timer);
      unwatch();
      for (const end of asked.values()) end(undefined);
      listeners.close();
      disappear(places, inbox);
    },
  };
}

/** The folder comes with the word that its process lives: one without it is taken for that of a dead one. */
function appear({ drafts }: FolderPlaces, inbox: string): void {
  const draft = join(drafts, randomUUID());
  mkdirSync(draft, { mode: 0o700 });
  try {
    writeFileSync(join(draft, ALIVE), JSON.stringify(readMoment()), { mode: 0o600 });
    renameSync(draft, inbox);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}

/** It is away at once: nobody writes into it while it is removed. */
function disappear({ drafts }: Pick<FolderPlaces, 'drafts'>, inbox: string): void {
  const away = join(drafts, randomUUID());
  // Somebody else may have done it.
  quietly(() => renameSync(inbox, away));
  quietly(() => rmSync(away, { recursive: true, force: true }));
}

type Hear = (words: Json, answer: (said: Json) => void) => void;

/** What this process listens to. */
function createListeners({ subjects }: FolderPlaces, mail: ReturnType<typeof createMail>, own: string) {
  const hearing = new Map<string, Set<Hear>>();
  const note = (subject: string): void => {
    for (let tries = 1; ; tries += 1) {
      try {
        makeInside(subjects);
        makeInside(join(subjects, subject));
        return writeFileSync(join(subjects, subject, own), '', { mode: 0o600 });
      } catch (error) {
        // Who listened there last has removed it in this moment.
        if (toErrorCode(error) !== 'ENOENT' || tries > MAX_TRIES) throw error;
      }
    }
  };
  return {
    /** Who was taken for lost says it anew. */
    noteAll: (): void => {
      for (const subject of hearing.keys()) quietly(() => note(subject));
    },
    hear: (subject: string, { words = null, from, id }: JsonObject): void => {
      const answer = (said: Json): void => {
        if (typeof from === 'string' && isPeer(from) && typeof id === 'string') mail.send(from, { id, words: said });
      };
      for (const hear of [...(hearing.get(subject) ?? [])]) hear(words, answer);
    },
    listen: (subject: string, hear: Hear): (() => void) => {
      const all = hearing.get(subject) ?? new Set();
      hearing.set(subject, all.add(hear));
      // What cannot be said now is said anew soon.
      quietly(() => note(subject));
      return () => {
        all.delete(hear);
        if (all.size > 0 || hearing.get(subject) !== all) return;
        hearing.delete(subject);
        mail.unlist(subject, own);
      };
    },
    close: (): void => {
      for (const subject of hearing.keys()) mail.unlist(subject, own);
      hearing.clear();
    },
  };
}

function isPeer(text: string): boolean {
  return /^[0-9a-f-]{36}$/.test(text);
}

/** What passes by is nobody's trouble where it cannot be said. */
function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // As above.
  }
}

/** Writes into the folders of others. */
function createMail({ drafts, peers, subjects }: FolderPlaces, own: string) {
  let count = 0;
  const crowded = new Set<string>();
  const put = (name: string, folder: string, message: Json): void => {
    const draft = join(drafts, randomUUID());
    try {
      writeFileSync(draft, JSON.stringify(message), { mode: 0o600 });
      renameSync(draft, join(folder, name));
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    }
  };
  const unlist = (subject: string, peer: string): void => {
    quietly(() => unlinkSync(join(subjects, subject, peer)));
    // Only where nobody listens any more.
    quietly(() => rmdirSync(join(subjects, subject)));
  };
  const secondsSilent = (peer: string): number => secondsSince(parseJson(findFileText(join(peers, peer, ALIVE)) ?? ''), readMoment());
  const listListening = (subject: string): readonly string[] =>
    listFolderNames(join(subjects, subject)).filter((peer) => {
      const seconds = isPeer(peer) && existsSync(join(peers, peer)) ? secondsSilent(peer) : Number.POSITIVE_INFINITY;
      if (seconds > LOST_S) unlist(subject, peer);
      return seconds < SILENT_S;
    });
  return {
    put,
    unlist,
    /** False: it could not be sent. `mayDrop`: it need not be where many wait already. */
    send: (peer: string, message: Json, mayDrop = false): boolean => {
      const inbox = join(peers, peer);
      count += 1;
      if (mayDrop && (count % COUNT_EVERY === 0 || crowded.has(peer))) {
        if (listFolderNames(inbox).length > MAX_WAITING) crowded.add(peer);
        else crowded.delete(peer);
        if (crowded.has(peer)) return false;
      }
      try {
        put(`${own}.${String(count).padStart(12, '0')}`, inbox, message);
        return true;
      } catch {
        return false;
      }
    },
    listListening,
    /** Removes who was killed, and what they listened to. */
    sweep: (): void => {
      for (const peer of listFolderNames(peers)) if (secondsSilent(peer) > LOST_S) disappear({ drafts }, join(peers, peer));
      for (const subject of listFolderNames(subjects)) {
        quietly(() => listListening(subject));
        quietly(() => rmdirSync(join(subjects, subject)));
      }
    },
  };
}
