import { createFlowGraph } from '../../topology/graph/create-flow-graph.ts';
import { toMarkText } from '../../topology/graph/flow-graph.ts';
import { toPlainLine } from '../../views/text/plain-text.ts';
import { addExamples } from '../args/help.ts';
import { addConfigOptions, addFormatOption, type ConfigOptions } from '../args/options.ts';
import { createUnknownNameError, createUsageError } from '../args/usage-error.ts';
import type { CliCommand } from '../cli-command.ts';
import type { CliContext, CommandCall } from '../cli-context.ts';
import { createHatSheet, type ListedHat, listHatRows, printHatSheet } from '../team/hat-sheet.ts';
import { loadTeam } from '../team/load-team.ts';
import { printTable } from '../terminal/print.ts';
import { printJson } from '../terminal/terminal.ts';

export const hatsCommand: CliCommand = {
  declare: (command) => {
    command.argument('[action]', 'show: everything about one hat; default: the list').argument('[hat]', 'the id of the hat');
    addConfigOptions(command);
    addFormatOption(command, ['table', 'json'], 'table for people, json for programs: one object per line');
    addExamples(command, [
      ['ralph hats', 'the hats of this folder, with their events'],
      ['ralph hats show builder', 'who sends to it and who receives from it'],
      ['ralph hats --hats preset:debug', 'the hats of a preset'],
      ['ralph hats --format json | jq -r .id', 'for programs'],
    ]);
  },
  perform,
};

async function perform(context: CliContext, { args, options }: CommandCall): Promise<number> {
  const [action, id] = args;
  if (action !== undefined && action !== 'show') {
    throw createUsageError(
      `ralph hats does not know ${JSON.stringify(action.slice(0, 80))}.`,
      `It knows only show: ralph hats show ${toPlainLine(action, 40)}`,
    );
  }
  if (action === 'show' && id === undefined) throw createUsageError('Which hat?', 'Name it: ralph hats show builder');
  const { topology, checked } = loadTeam(context, options as ConfigOptions);
  if (topology === null) return 1;
  const graph = createFlowGraph(topology, checked.diagnostics);
  const isJson = options['format'] === 'json';
  if (id !== undefined) {
    const sheet = createHatSheet(topology, graph, checked.diagnostics, id);
    if (sheet === null) throw createUnknownHat(id, [...topology.hatById.keys()]);
    if (isJson) printJson(context.terminal, sheet);
    else printHatSheet(context.terminal, sheet);
    return 0;
  }
  printRows(context, listHatRows(topology, graph), isJson);
  return 0;
}

function printRows({ terminal }: CliContext, rows: readonly ListedHat[], isJson: boolean): void {
  if (isJson) for (const row of rows) printJson(terminal, row);
  else if (rows.length === 0) terminal.err('There are no hats: Ralph works alone.\n');
  else {
    printTable(terminal, ['hat', 'is', 'triggers', 'publishes', 'backend', 'about'], rows.map(toCells));
  }
}

function toCells(row: ListedHat): readonly string[] {
  const is = toMarkText({ kind: 'hat', marks: row.marks });
  const publishes = row.publishes.map(({ topic, target }) => (target === undefined ? topic : `${topic} to ${target}`));
  const list = (topics: readonly string[]): string => topics.map((topic) => toPlainLine(topic, 60)).join(', ') || '-';
  const about = row.description === '' ? row.name : row.description;
  return [toPlainLine(row.id, 40), is || '-', list(row.triggers), list(publishes), list(row.backends), toPlainLine(about, 200)];
}

function createUnknownHat(id: string, known: readonly string[]): Error {
  const fix =
    known.length === 0 ? 'This team has no hats.' : `The hats are: ${known.slice(0, 20).join(', ')}${known.length > 20 ? ', …' : ''}`;
  return createUnknownNameError('no hat', id, known, fix);
}
