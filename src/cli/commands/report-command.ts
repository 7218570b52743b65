import { closeSync, openSync, readSync } from 'node:fs';
import { extname } from 'node:path';
import { toReviewMarkdown } from '../../views/review/review-markdown.ts';
import { toNumberText, toPlainLine } from '../../views/text/plain-text.ts';
import type { ReportData } from '../../wire/report-data.ts';
import { addFleetOption } from '../args/fleet-options.ts';
import { addExamples } from '../args/help.ts';
import { RUN_ARGUMENT } from '../args/options.ts';
import { createUsageError } from '../args/usage-error.ts';
import type { AppApi, AppContext, CliCommand } from '../cli-command.ts';
import { type ReadWish, readInFolder } from '../runs/read-in-folder.ts';
import { writeOutput } from '../terminal/output-file.ts';
import { printLine } from '../terminal/terminal.ts';
import { readReportPage } from '../web/read-page.ts';

export const reportCommand: CliCommand = {
  declare: (command) => {
    command
      .argument(...RUN_ARGUMENT)
      .option('-o, --output <file>', 'where it goes: .html for a page, .md for Markdown; - for standard output; default: ralph-RUN.html')
      .option(
        '--with-outputs',
        'also the prompts, outputs, changes and tool calls of each turn (the last 400,000 characters of each text)',
      );
    addFleetOption(command);
    addExamples(command, [
      ['ralph report', 'the newest run as one page, to open or send'],
      ['ralph report last -o run.md', 'as Markdown, for a pull request'],
      ['ralph report 20261121-22 --with-outputs -o night.html', 'a particular run with everything its agents said'],
    ]);
  },
  perform: async (context, { args, options }) => {
    const output = options['output'] === undefined ? null : String(options['output']);
    const isMarkdown = requireKind(output) === 'md';
    const wish: ReadWish = { fleet: options['fleet'], run: args[0], files: 'first' };
    // What is written goes into the folder in which it was typed.
    return readInFolder(context, wish, ({ cwd: from }, run) =>
      isMarkdown
        ? writeMarkdown(context, from, run, output)
        : writePage(context, from, run, { output, withOutputs: options['withOutputs'] === true }),
    );
  },
};

async function writePage(
  context: AppContext,
  from: string,
  run: string | undefined,
  { output, withOutputs }: { readonly output: string | null; readonly withOutputs: boolean },
): Promise<number> {
  const app = await context.loadApp();
  const data = await app.readReport({ cwd: from, run, env: context.env, withOutputs });
  const page = toPage(app, data);
  if (data.damage !== undefined) context.terminal.err(`Damaged: ${toPlainLine(data.damage, 300)}\n`);
  return put(context, output ?? `ralph-${data.row.runId}.html`, page);
}

function requireKind(output: string | null): 'html' | 'md' {
  const ending = output === null || output === '-' ? '.html' : extname(output).toLowerCase();
  if (ending === '.html' || ending === '.htm') return 'html';
  if (ending === '.md' || ending === '.markdown') return 'md';
  throw createUsageError(
    `${output} ends neither in .html nor in .md.`,
    'The ending says what is written: run.html is a page, run.md is Markdown.',
  );
}

/** The page with its data in the place of a comment. Nothing in the data can end the element that it stands in. */
function toPage(app: AppApi, data: ReportData): string {
  const page = readReportPage(app.findPackageFolder());
  const json = JSON.stringify(data).replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
  return page.replace('<!-- data -->', () => `<script type="application/json" id="data">${json}</script>`);
}

async function writeMarkdown(context: AppContext, from: string, run: string | undefined, output: string | null): Promise<number> {
  const app = await context.loadApp();
  const review = await app.reviewRun(from, run === 'last' ? undefined : run, context.env);
  const text = `${toReviewMarkdown(review).trimEnd()}\n`;
  return put(context, output ?? '-', output === null || output === '-' ? text : `${MARKDOWN_MARK}\n\n${text}`);
}

/** A report that is there is written over; any other file stays. */
function put({ cwd, terminal }: AppContext, file: string, text: string): number {
  if (file === '-') {
    terminal.out(text);
    return 0;
  }
  const findObstacle = (path: string): string | null => (isReport(path) ? null : 'is there already, and ralph report did not write it');
  writeOutput({ cwd, file, findObstacle, example: 'run-2.html' }, text);
  printLine(terminal, `Written: ${toPlainLine(file, 300)} (${toNumberText(Math.ceil(Buffer.byteLength(text) / 1000))} kB)`);
  return 0;
}

/** By it a report in Markdown is known again; no reader sees it. */
const MARKDOWN_MARK = '<!-- ralph report -->';

function isReport(path: string): boolean {
  const handle = openSync(path, 'r');
  try {
    const head = Buffer.alloc(300);
    readSync(handle, head);
    return head.includes('<meta name="generator" content="ralph report">') || head.includes(MARKDOWN_MARK);
  } finally {
    closeSync(handle);
  }
}
