import { findFleetAddress } from '../args/fleet-options.ts';
import { addExamples } from '../args/help.ts';
import { addFormatOption } from '../args/options.ts';
import type { CliCommand } from '../cli-context.ts';
import { printTable } from '../terminal/print.ts';
import { printJson } from '../terminal/terminal.ts';

/** `ralph fleet`. */
export const fleetCommand: CliCommand = {
  declare: (command) => {
    command.option('--nats <url>', 'the address of the fleet; default: RALPH_FLEET');
    addFormatOption(command, ['table', 'json'], 'table for people, json for programs: one object per line');
    addExamples(command, [['ralph fleet --nats nats://10.0.0.5:4222', 'the workers that are there, and what they work on']]);
  },
  perform: async ({ env, terminal, loadApp }, { options }) => {
    const url = findFleetAddress(options['nats'], env);
    const app = await loadApp();
    const fleet = await app.connectFleet({ url, name: 'ralph fleet' });
    try {
      const workers = await fleet.workers.list();
      if (options['format'] === 'json') {
        for (const worker of workers) printJson(terminal, { v: 1, ...worker });
        return 0;
      }
      if (workers.length === 0) terminal.err('No worker is there. Start one: ralph worker --nats …\n');
      else
        printTable(
          terminal,
          ['worker', 'labels', 'slots', 'works on'],
          workers.map(({ id, labels, slots, busy, isDraining }) => [
            id,
            labels.join(','),
            `${busy.length}/${slots}`,
            [...busy.map(({ run, name }) => `${run} ${name}`), ...(isDraining ? ['(takes no more)'] : [])].join(', '),
          ]),
        );
      return 0;
    } finally {
      await fleet.close();
    }
  },
};
