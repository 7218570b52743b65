import { addExamples, type CliCommand } from '../cli-command.ts';

/** `ralph init`. */
export const initCommand: CliCommand = {
  declare: (command) => {
    command
      .option('-b, --backend <name>', 'the agent to write down, such as claude or codex')
      .option('--force', 'overwrite ralph.yml and PROMPT.md');
    addExamples(command, [
      ['ralph init', 'a commented ralph.yml and a PROMPT.md to fill in'],
      ['ralph init -b codex', 'the same, with codex as the agent'],
    ]);
  },
  perform: async ({ cwd, terminal, loadApp }, { options }) => {
    const app = await loadApp();
    const backend = options['backend'];
    const order = { cwd, force: options['force'] === true };
    const { written } = app.initProject(typeof backend === 'string' ? { ...order, backend } : order);
    terminal.out(
      [`Written: ${written.join(', ')}.`, 'Next: say in PROMPT.md what is to be done, then: ralph run', '', PERMISSIONS_NOTE, ''].join(
        '\n',
      ),
    );
    return 0;
  },
};

/** Said once at `init` and in `doctor`. */
export const PERMISSIONS_NOTE = [
  'Note: agents run unattended, so each is started with its own "ask nobody" flag: it may run any command and change any file that you may.',
  'To leave that flag out: `cli: {permissions: default}` in ralph.yml.',
].join('\n');
