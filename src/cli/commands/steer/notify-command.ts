import { hasErrors, renderDiagnostics } from '../../../config/findings/diagnostics.ts';
import { RalphError } from '../../../core/values/errors.ts';
import { checkConfig } from '../../../validation/check-config.ts';
import { addExamples } from '../../args/help.ts';
import { addConfigOptions, type ConfigOptions, toConfigRequest } from '../../args/options.ts';
import { createUsageError } from '../../args/usage-error.ts';
import type { CliCommand } from '../../cli-command.ts';
import { untilStopped } from '../../live/signals.ts';
import { isColoured, printLine } from '../../terminal/terminal.ts';

export const notifyCommand: CliCommand = {
  declare: (command) => {
    command.argument('<action>', 'test: send a test notification to what `notify:` names');
    addConfigOptions(command);
    addExamples(command, [['ralph notify test', 'send a test notification']]);
  },
  perform: async (context, { args, options }) => {
    if (args[0] !== 'test') throw createUsageError('ralph notify knows only test.', 'Try: ralph notify test');
    const { terminal, cwd, env, now } = context;
    const { settings, diagnostics } = checkConfig({ ...toConfigRequest(context, options as unknown as ConfigOptions), prompt: 'optional' });
    const said = diagnostics.filter(({ code }) => settings === null || code.startsWith('notify-'));
    if (said.length > 0) terminal.err(`${renderDiagnostics(said, { color: isColoured(terminal.errStyle) })}\n`);
    if (settings === null || hasErrors(said)) return 1;
    const { notify, news } = settings;
    const on = news?.on[0] ?? 'ended';
    if (notify === null && news?.url == null)
      throw new RalphError({
        code: 'notify-nobody',
        what: 'No notifications are configured here.',
        why: '`notify` names neither a command nor an address.',
        fix: 'Write for example: notify: notify-send "Ralph" "$RALPH_EVENT"',
      });
    const { notifyPerson } = await context.loadApp();
    const { result: problem, stoppedBy } = await untilStopped(context, (abort) =>
      notifyPerson({
        runId: 'test',
        cwd,
        settings,
        news: { id: `test:${now()}`, event: on, detail: 'This is a test of `ralph notify test`.', costUsd: null },
        env: Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
        abort,
      }),
    );
    if (stoppedBy !== null) return stoppedBy;
    if (problem !== null) terminal.err(`ralph: ${problem}\n`);
    else printLine(terminal, `Told, as of "${on}".`);
    return problem === null ? 0 : 1;
  },
};
