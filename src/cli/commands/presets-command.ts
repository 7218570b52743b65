import { listPresets, type Preset, readPreset } from '../../config/layers/package-files.ts';
import { toRowLines } from '../../views/text/fact-rows.ts';
import { addExamples } from '../args/help.ts';
import { addFormatOption } from '../args/options.ts';
import { createUsageError } from '../args/usage-error.ts';
import type { CliCommand } from '../cli-command.ts';
import { printProse } from '../terminal/print.ts';
import { printJson, printLine, type Terminal } from '../terminal/terminal.ts';

export const presetsCommand: CliCommand = {
  declare: (command) => {
    command.argument('[show]', '`show`: print one preset').argument('[name]', 'the name of the preset');
    addFormatOption(command, ['text', 'json'], 'text for people, json for programs: one object per line');
    addExamples(command, [
      ['ralph presets', 'the teams with their hats and what they are for'],
      ['ralph presets show feature', 'the file: hats with their instructions'],
      ['ralph init --preset feature', 'use it as the configuration of this folder'],
      ['ralph run --hats preset:feature', 'run it without writing a file'],
      ['ralph presets --format json', 'for programs'],
    ]);
  },
  perform: async ({ terminal }, { args, options }) => {
    const presets = choosePresets(args);
    const isShown = args[0] === 'show';
    if (options['format'] === 'json') for (const preset of presets) printJson(terminal, toRecord(preset, isShown));
    else if (isShown) for (const preset of presets) terminal.out(preset.text);
    else printList(terminal, presets);
    return 0;
  },
};

function choosePresets([action, name]: readonly (string | undefined)[]): readonly Preset[] {
  if (action === undefined) return listPresets().map((file) => readPreset(file.name));
  if (action === 'show' && name !== undefined) return [readPreset(name)];
  if (action === 'show') throw createUsageError('`ralph presets show` needs a name.', 'See the names: ralph presets');
  const isPreset = listPresets().some((file) => file.name === action);
  throw createUsageError(
    `\`ralph presets\` knows no ${JSON.stringify(action.slice(0, 60))}.`,
    isPreset ? `Type: ralph presets show ${action}` : 'Type `ralph presets` for the list, or: ralph presets show NAME',
  );
}

/** What a program gets; `file` is absolute, `text` what is in it. */
function toRecord({ name, description, hats, terminalEvents, path, text }: Preset, isShown: boolean): object {
  return { v: 1, name, description, hats, terminalEvents, file: path, ...(isShown ? { text } : {}) };
}

function printList(terminal: Terminal, presets: readonly Preset[]): void {
  const layout = { width: terminal.columns() };
  const rows = presets.flatMap(({ name, description, hats }) => [
    { label: name, text: description },
    { label: name, text: `→ ${hats.join(', ')}` },
  ]);
  for (const line of toRowLines(rows, layout)) printLine(terminal, line);
  printProse(terminal, '\nOne of them in full: ralph presets show NAME. Take it: ralph init --preset NAME');
}
