import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSender, type Sender } from '../core/events/event.ts';
import { isJsonObject, type JsonObject, parseJson } from '../core/values/json.ts';
import { appendLine } from '../journal/agent-line.ts';
import { readNewLines } from '../journal/new-lines.ts';
import type { RunPaths } from '../journal/run-folder.ts';
import { createSharedFileSystem } from '../journal/shared-file-system.ts';
import type { HeardWord, SteeringSource, SteeringWord } from '../ports/steering.ts';
import { watchFolder } from './watch-folder.ts';

/** The longest text that a person tells at once, in characters. */
export const MAX_TOLD = 20_000;
const MAX_NAME = 200;
const WHENS = ['now', 'next', 'interrupt'] as const;

/** The file in which people tell and answer: the orchestrator's own, so that nothing in it is taken for a person's that an agent wrote. */
function toSteeringFile({ folder }: RunPaths): string {
  return join(folder, 'steering.jsonl');
}

/**
 * Leaves a word of a person for a run.
 *
 * @throws the system error; RalphError `events-file-not-a-file`
 */
export function writeSteering(paths: RunPaths, word: SteeringWord): void {
  appendLine(createSharedFileSystem(paths.folder), toSteeringFile(paths), JSON.stringify(word));
}

/**
 * Makes the file as long as the run has read it in the folder where it was before, so that what is written from now on stands behind that. What nobody has heard of what is here
 * comes once more behind it: a run hears a command once.
 *
 * @throws the system error
 */
export function alignSteering(paths: RunPaths, offset: number): void {
  const path = toSteeringFile(paths);
  const here = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  if (here.length === offset || offset <= 0 || offset > MAX_OFFSET) return;
  const gap = Buffer.alloc(offset, ' ');
  gap[offset - 1] = LINE_FEED;
  writeFileSync(`${path}.new`, Buffer.concat([gap, here]), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** No run has read so much of it. */
const MAX_OFFSET = 256 << 20;
const LINE_FEED = 10;

/** @param admit whether a sender is let in; it tells of those who are not */
export function openSteering(paths: RunPaths, admit: (sender: Sender, what: string) => Sender | null): SteeringSource {
  const file = { fs: createSharedFileSystem(paths.folder), path: toSteeringFile(paths) };
  return {
    read: (from) => {
      const { lines, offset } = readNewLines(file, from);
      const words = lines.flatMap(({ text, offset: end }): readonly HeardWord[] => {
        const word = parseWord(text);
        const sender = word === null ? null : admit(word.sender, word.kind === 'tell' ? 'ralph tell' : 'ralph answer');
        return word === null || sender === null ? [] : [{ word: { ...word, sender }, offset: end }];
      });
      return { words, offset };
    },
    watch: (look) => watchFolder(paths.folder, look),
  };
}

/** The word of a line; `null` for what is none. */
function parseWord(line: string): SteeringWord | null {
  const value = parseJson(line);
  if (!isJsonObject(value)) return null;
  const sender = parseSender(value['sender']);
  const id = readText(value, 'id', MAX_NAME);
  if (sender === null || id === null) return null;
  if (value['kind'] === 'answer') {
    const [question, choice] = [readText(value, 'question', MAX_NAME), readText(value, 'choice', MAX_NAME)];
    return question === null || choice === null ? null : { kind: 'answer', id, question, choice, sender };
  }
  const text = readText(value, 'text', MAX_TOLD);
  if (value['kind'] !== 'tell' || text === null) return null;
  return {
    kind: 'tell',
    id,
    text,
    to: readText(value, 'to', MAX_NAME),
    when: WHENS.find((when) => when === value['when']) ?? 'now',
    sender,
  };
}

function readText(value: JsonObject, key: string, limit: number): string | null {
  const text = value[key];
  return typeof text === 'string' && text.trim() !== '' ? text.slice(0, limit) : null;
}
