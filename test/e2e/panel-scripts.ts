/** Panels whose agents' models are scripts, and what their runs left. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const write = (content: string, delayMs = 0): string =>
  `        - {delay_ms: ${delayMs}, calls: [{tool: write_file, args: {path: add.mjs, content: ${JSON.stringify(content)}}}]}`;
export const answer = (content: string, delayMs = 0): string =>
  `        - {delay_ms: ${delayMs}, calls: [{tool: new_answer, args: {content: ${JSON.stringify(content)}}}]}`;
export const vote = (agent: string, delayMs = 0): string =>
  `        - {delay_ms: ${delayMs}, calls: [{tool: vote, args: {agent_id: ${agent}, reason: "It is good."}}]}`;

/** What each agent does, round by round. */
export function script(rounds: Readonly<Record<string, readonly (readonly string[])[]>>): string {
  const agents = Object.entries(rounds).map(
    ([id, all]) => `  ${id}:\n${all.map((steps) => `    - steps:\n${steps.join('\n')}`).join('\n')}`,
  );
  return `hats:\n${agents.join('\n')}\n`;
}

export interface Move {
  readonly kind: string;
  readonly agent?: number;
  readonly worker?: string;
  readonly content?: string;
  readonly target?: string;
  readonly reason?: string;
  readonly numbers?: readonly number[];
  readonly finalText?: string;
  readonly isPassed?: boolean;
  readonly isAnew?: boolean;
  readonly home?: string;
  readonly outcome?: unknown;
  readonly text?: string;
}

/** Files of the only run, by the end of their paths. */
export function findFiles(folder: string, end: RegExp): readonly string[] {
  const runs = join(folder, '.ralph/runs');
  return readdirSync(runs, { recursive: true, encoding: 'utf8' }).flatMap((path) => (end.test(path) ? [join(runs, path)] : []));
}

/** What happened in the panels of the only run. */
export function readMoves(folder: string): readonly Move[] {
  const [journal = ''] = findFiles(folder, /^[^/]+\/journal\.jsonl$/);
  return readFileSync(journal, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const record = line.includes('panel-moved') ? JSON.parse(line) : undefined;
      return record === undefined ? [] : [(record.input ?? record).move as Move];
    });
}

export function readAnswers(folder: string): readonly (string | undefined)[] {
  return readMoves(folder).flatMap(({ kind, content }) => (kind === 'answer-given' ? [content] : []));
}
