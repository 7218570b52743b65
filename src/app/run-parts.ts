import type { Environment } from '../core/values/environment.ts';
import type { AwayPrograms, KeptRun } from '../fleet-runs/kept-run.ts';
import type { RunPaths } from '../journal/run-folder.ts';
import type { LoopPorts, LoopSettings } from '../loop/shell/loop-ports.ts';
import type { PanelAgents } from '../panel/run/panel-settings.ts';
import type { JournalDamage } from '../ports/journal.ts';
import type { Isolation } from '../ports/program.ts';
import type { GateReference } from '../run-gates/gate-reference.ts';
import type { Admission } from '../runs/admit-people.ts';
import type { Layout } from '../runs/layout.ts';
import type { RunWatch } from '../runs/run-api.ts';
import type { RunFile } from '../runs/run-file.ts';
import type { GitWorkspace } from '../workspace/checkpoint/create-workspace.ts';

/** Everything that a run is put together from. */
export interface RunParts {
  readonly layout: Layout;
  readonly paths: RunPaths;
  readonly file: RunFile;
  readonly env: Environment;
  readonly watch: RunWatch;
  readonly reference: GateReference;
  /** `null`: programs share the processes of the machine. */
  readonly isolation: Isolation | null;
  /** The fleet that keeps it, and whose workers take the turns; absent: turns are taken here. */
  readonly kept?: KeptRun;
  /** The mark of the worker that takes turns and gates of the run, and knows itself what its turns change; absent: it is the run's own process. */
  readonly worker?: string;
}

/** A run that is ready to begin or to go on. */
export interface AssembledRun {
  readonly ports: LoopPorts;
  readonly settings: LoopSettings;
  readonly workspace: GitWorkspace;
  readonly damage: JournalDamage | null;
  readonly admitStop: Admission['admitStop'];
  /** Its gates and hooks in the hands of workers; `null`: they run here. */
  readonly away: AwayPrograms | null;
  /** Agents of its panels, for rounds that are ordered by a run elsewhere. */
  readonly panelAgentOf: PanelAgents['panelAgentOf'];
}
