import type { Settings } from '../../config/settings.ts';
import { isRunEvent, type LifeEventName } from '../../core/hooks/hook-moments.ts';
import { toPlainLine } from '../../views/text/plain-text.ts';
import type { AppApi, AppContext } from '../cli-command.ts';
import { untilStopped } from '../live/signals.ts';
import { printTable } from '../terminal/print.ts';
import { printJson, printLine } from '../terminal/terminal.ts';

type ReportedHook = Parameters<Parameters<AppApi['createLifeHooks']>[2]>[0];

interface LifeTest {
  readonly event: LifeEventName;
  /** Whose hooks; of a moment of the run it says nothing. */
  readonly hat: string;
  /** Absent: the usual one. */
  readonly reason?: string | undefined;
  readonly format: 'text' | 'json';
}

const REASONS: Readonly<Record<LifeEventName, string | null>> = {
  RunStart: 'started',
  TurnStart: null,
  TurnEnd: 'succeeded',
  HatChange: null,
  NeedsYou: 'question',
  RunEnd: 'completed',
};
const QUESTION = { id: 'q0', text: 'Is this a test?', choices: ['yes', 'no'], default: 'yes' };

/** Tells the hooks of a moment in the life of a run that has not happened, and shows what became of it. */
export async function testLife(context: AppContext, settings: Settings, { event, hat, reason, format }: LifeTest): Promise<number> {
  const { createLifeHooks } = await context.loadApp();
  const { cwd, env, now, terminal } = context;
  const runs: ReportedHook[] = [];
  const why = reason ?? REASONS[event];
  const ofRun = isRunEvent(event);
  const at = now();
  const { stoppedBy } = await untilStopped(context, async (signal) => {
    const specs = { ofRun: settings.runHooks ?? [], ofHat: (id: string) => settings.hooks?.[id] ?? [] };
    const scene = { run: 'test', cwd, env, marker: 'test', signal };
    const hooks = createLifeHooks(
      specs,
      scene,
      (run) => void runs.push(run),
      () => performance.now(),
    );
    hooks.tell({
      ...{ event, at, hat: ofRun ? '' : hat, turn: ofRun ? '' : '0.0' },
      ...(ofRun ? {} : { iteration: 0 }),
      ...(why === null ? {} : { reason: why }),
      ...(event === 'HatChange' ? { from: 'test', to: hat } : {}),
      ...(why === 'question' ? { question: { ...QUESTION, due_at: new Date(at).toISOString() } } : {}),
    });
    await hooks.close();
  });
  if (stoppedBy !== null) return stoppedBy;
  const told = runs.map(({ name, error, ms }) => ({ name, error, ms }));
  if (format === 'json') printJson(terminal, { told });
  else if (told.length === 0) printLine(terminal, 'No hook is told of this.');
  else
    printTable(
      terminal,
      ['hook', 'error', 'ms'],
      told.map(({ name, error, ms }) => [toPlainLine(name, 60), toPlainLine(error ?? '', 200) || '-', ms.toFixed(1)]),
    );
  return 0;
}
