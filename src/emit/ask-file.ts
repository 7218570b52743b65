import { closeSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isAskable } from '../core/run/question-limits.ts';
import { isJsonObject, parseJson } from '../core/values/json.ts';
import { appendLine } from '../journal/agent-line.ts';
import { readNewLines } from '../journal/new-lines.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { createSharedFileSystem } from '../journal/shared-file-system.ts';
import type { AskBox, ProgramQuestion } from '../ports/steering.ts';

/** Where agents ask, beside the events file; and where they find the answers, in the run's folder, in which no agent writes. */
export interface AskPlace {
  readonly asksFile: string;
  readonly answersFile: string;
  /** Absolute: no link below it is followed on the way to what agents write. */
  readonly root: string | null;
}

/** @param eventsFile absolute path of the agents' events file */
export function toAskPlace(eventsFile: string, runFolder: string, root: string | null): AskPlace {
  return { asksFile: join(dirname(eventsFile), 'asks.jsonl'), answersFile: toAnswersPath(runFolder), root };
}

function toAnswersPath(runFolder: string): string {
  return join(runFolder, 'answers.jsonl');
}

/**
 * Makes the answers file where it is missing, for a sandbox that can only show what is there.
 *
 * @returns its path
 * @throws the system error
 */
export function ensureAnswersFile(runFolder: string): string {
  const path = toAnswersPath(runFolder);
  closeSync(openSync(path, 'a', 0o600));
  return path;
}

/**
 * What agents that are programs ask.
 *
 * @param watchFolder calls back when something in a folder changes, until its function is called
 */
export function openAskBox(place: AskPlace, watchFolder: (folder: string, look: () => void) => () => void): AskBox {
  const file = { fs: createSharedFileSystem(place.root), path: place.asksFile };
  return {
    watch: (take) => {
      // What was asked in earlier turns is over.
      let offset = sizeOf(file);
      return watchFolder(dirname(place.asksFile), () => {
        const found = readNewLines(file, offset);
        offset = found.offset;
        for (const { text } of found.lines) {
          const question = parseQuestion(text);
          if (question !== null) take(question);
        }
      });
    },
    answer: (ask, { choice, by }) => appendLine(nodeFileSystem, place.answersFile, JSON.stringify({ ask, choice, by })),
  };
}

function sizeOf({ fs, path }: { readonly fs: typeof nodeFileSystem; readonly path: string }): number {
  try {
    return fs.stat(path)?.sizeBytes ?? 0;
  } catch {
    return 0;
  }
}

const MAX_ID = 100;

/** The question of a line; `null` for what cannot be asked. */
function parseQuestion(line: string): ProgramQuestion | null {
  const value = parseJson(line);
  if (!isJsonObject(value)) return null;
  const { ask, text, choices, default: fallback, deadlineMs } = value;
  if (typeof ask !== 'string' || typeof text !== 'string' || !Array.isArray(choices) || typeof fallback !== 'string') return null;
  const named = choices.filter((choice) => typeof choice === 'string');
  const question = { ask: ask.slice(0, MAX_ID), text, choices: named, default: fallback };
  const whole = typeof deadlineMs === 'number' ? { ...question, deadlineMs } : question;
  return isAskable(whole) ? whole : null;
}

/** What an agent is answered. */
export interface ReceivedAnswer {
  readonly choice: string;
  readonly by: string;
}

/** Reads the answers file from a byte on: the answer to one question, if it is there. */
export function findReceivedAnswer(
  answersFile: string,
  ask: string,
  from: number,
): { readonly answer: ReceivedAnswer | null; readonly offset: number } {
  const { lines, offset } = readNewLines({ fs: nodeFileSystem, path: answersFile }, from);
  for (const { text } of lines) {
    const value = parseJson(text);
    if (!isJsonObject(value) || value['ask'] !== ask || typeof value['choice'] !== 'string') continue;
    return { answer: { choice: value['choice'], by: String(value['by']) }, offset };
  }
  return { answer: null, offset };
}
