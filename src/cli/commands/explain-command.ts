import type { Command } from 'commander';
import { END_REASONS } from '../../core/run/end-reasons.ts';
import { addExamples } from '../args/help.ts';
import { addFormatOption } from '../args/options.ts';
import { createUsageError, suggestWord } from '../args/usage-error.ts';
import type { CliCommand } from '../cli-command.ts';
import type { CliContext, CommandCall } from '../cli-context.ts';
import { printJson, printLine, type Terminal } from '../terminal/terminal.ts';
import { type CodeLine, listCodes, listRulePages, readRulePage } from '../validate/rule-pages.ts';

export const explainCommand: CliCommand = { declare, perform };

function declare(command: Command): void {
  command.argument(
    '[codes...]',
    'codes that findings and errors show in brackets, or reasons why a run ended; default: all of them, one per line',
  );
  addFormatOption(command, ['text', 'json'], 'for people or programs');
  addExamples(command, [
    ['ralph explain', 'all codes, one per line'],
    ['ralph explain event-orphan', 'what it means, a wrong and a right example'],
    ['ralph explain parked', 'how a run ended, its exit code and what to do'],
    ['ralph explain hats-empty key-unknown', 'several'],
  ]);
}

/** What is told about a code: its page, or its line in the list of errors. */
interface Explanation extends CodeLine {
  readonly page: string | null;
}

async function perform({ terminal }: CliContext, call: CommandCall): Promise<number> {
  const codes = call.args.flat().filter((code): code is string => code !== undefined);
  const lines = [...listCodes(), ...listEnds()].sort((a, b) => (a.code < b.code ? -1 : 1));
  const explanations = codes.length === 0 ? lines.map((line) => ({ ...line, page: null })) : codes.map((code) => explain(code, lines));
  if (call.options['format'] === 'json') {
    for (const explanation of explanations) printJson(terminal, { v: 1, ...explanation });
  } else if (codes.length === 0) {
    const rows = lines.map(({ code, kind, meaning }) => [code, kind, toPlain(meaning)] as const);
    printRows(terminal, [['code', 'kind', 'what it means'], ...rows]);
  } else {
    for (const text of explanations
      .map((explanation) => toText(explanation))
      .join('\n\n')
      .split('\n'))
      printLine(terminal, text);
  }
  return 0;
}

/** The reasons that end a run, as lines like those of the errors. */
function listEnds(): readonly CodeLine[] {
  return Object.entries(END_REASONS).map(([code, { exitCode, text, next }]) => {
    const look = code === 'completed' ? 'Nothing.' : 'See what happened: `ralph show`.';
    return { code, kind: `end of a run, exit code ${exitCode}`, meaning: text, remedy: next === '' ? look : next };
  });
}

/** In columns, without the tables of the views: this command stays small. */
function printRows(terminal: Terminal, rows: readonly (readonly [string, string, string])[]): void {
  const [codes, kinds] = [Math.max(...rows.map(([code]) => code.length)), Math.max(...rows.map(([, kind]) => kind.length))];
  for (const [code, kind, meaning] of rows) printLine(terminal, `${code.padEnd(codes)}  ${kind.padEnd(kinds)}  ${meaning}`);
}

function explain(code: string, lines: readonly CodeLine[]): Explanation {
  const name = code.replace(/^\[|\]$/g, '');
  const line = lines.find((candidate) => candidate.code === name);
  const page = readRulePage(name);
  if (line === undefined && page === null) throw toUnknown(name, lines);
  return { ...(line ?? { code: name, kind: '', meaning: '', remedy: '' }), page };
}

function toUnknown(code: string, lines: readonly CodeLine[]): Error {
  const near = suggestWord(code, [...new Set([...lines.map((line) => line.code), ...listRulePages()])]);
  const hint = near === undefined ? '' : `Did you mean \`ralph explain ${near}\`?\n`;
  return createUsageError(`There is no code ${JSON.stringify(code.slice(0, 80))}.`, `${hint}All codes: ralph explain`);
}

function toText({ code, kind, meaning, remedy, page }: Explanation): string {
  if (page !== null) return page.trimEnd();
  const exit = /^\d/.test(kind) ? `exit code ${kind}` : kind;
  return [`# ${code}`, '', `Kind: ${exit}`, '', toPlain(meaning), '', `What to do: ${toPlain(remedy)}`].join('\n');
}

/** Links of the page lead nowhere on a terminal. */
function toPlain(markdown: string): string {
  return markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('\\|', '|');
}
