import type { Diagnostic, ReadText, TextEdit } from '../config/index.ts';
import type { Repair } from '../core/index.ts';
import { type CheckedConfig, type CheckRequest, checkConfig } from './check-config.ts';
import { type EditedFiles, editFiles, readEdited } from './edited-files.ts';

/** What may be changed, and who is asked. */
export interface RepairOptions {
  readonly request: CheckRequest;
  /** Whether a file may be changed, by the edit that would. */
  readonly mayEdit: (edit: TextEdit) => boolean;
  /** Chooses among repairs that are not sure, or none of them; default: none. */
  readonly choose?: (finding: Diagnostic, repairs: readonly Repair[]) => Promise<Repair | null>;
}

/** A repair that was made. */
export interface MadeRepair {
  /** As it is shown. */
  readonly file: string;
  /** Where it was made, in the text before it. */
  readonly line: number;
  readonly title: string;
}

/** A configuration after its repairs; nothing is written yet. */
export interface RepairedConfig {
  /** As it was before. */
  readonly before: CheckedConfig;
  /** As it is with the repairs. */
  readonly checked: CheckedConfig;
  /** The new texts of the files that were changed, by absolute path. */
  readonly files: EditedFiles;
  readonly made: readonly MadeRepair[];
}

/** A repair with the change that it makes. */
interface Plan {
  readonly finding: Diagnostic;
  readonly repair: Repair;
  readonly edit: TextEdit;
}

const MAX_ROUNDS = 20;
/** Checks that may be spent on finding out which of several repairs makes things worse. */
const MAX_TRIALS = 100;

/**
 * Repairs a configuration: what is sure at once, the rest as it is chosen. After every round all is checked again; a change that leaves
 * more errors than there were is taken back, so the result is never worse.
 *
 * @throws RalphError (exit code 2) as `checkConfig` does
 */
export async function repairConfig(options: RepairOptions): Promise<RepairedConfig> {
  const session = new RepairSession(options);
  const before = session.checked;
  session.repairSure();
  if (options.choose !== undefined) await session.repairChosen(options.choose);
  return { before, checked: session.checked, files: session.files, made: session.made };
}

class RepairSession {
  files: EditedFiles = new Map();
  checked: CheckedConfig;
  readonly made: MadeRepair[] = [];
  /** Repairs that were tried and taken back, and findings that were asked about. */
  private readonly settled = new Set<string>();
  private readonly request: CheckRequest;
  private readonly mayEdit: RepairOptions['mayEdit'];
  private readonly readText: ReadText | undefined;
  private trials = 0;

  constructor({ request, mayEdit }: RepairOptions) {
    this.request = request;
    this.mayEdit = mayEdit;
    this.readText = request.readText;
    this.checked = this.check(this.files);
  }

  /** Round after round, until nothing is left that is sure. */
  repairSure(): void {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const plans = this.listPlans();
      if (plans.length === 0 || !this.tryAll(plans)) return;
    }
  }

  async repairChosen(choose: NonNullable<RepairOptions['choose']>): Promise<void> {
    for (let finding = this.nextOpen(); finding !== undefined; finding = this.nextOpen()) {
      this.settled.add(toKey(finding));
      const plans = this.plansOf(finding);
      const repair = await choose(
        finding,
        plans.map((plan) => plan.repair),
      );
      const plan = plans.find((candidate) => candidate.repair === repair);
      if (plan !== undefined && this.tryPlans([plan])) this.repairSure();
    }
  }

  private nextOpen(): Diagnostic | undefined {
    return this.checked.diagnostics.find((finding) => !this.settled.has(toKey(finding)) && this.plansOf(finding).length > 0);
  }

  /** One sure repair for each error that has one; what is less may follow from an error, so its turn comes when no error is left to repair. */
  private listPlans(): readonly Plan[] {
    const plans = this.checked.diagnostics.flatMap((finding) =>
      this.plansOf(finding)
        .filter(({ repair }) => repair.isSafe)
        .slice(0, 1),
    );
    const errors = plans.filter(({ finding }) => finding.severity === 'error');
    return errors.length > 0 ? errors : plans;
  }

  private plansOf(finding: Diagnostic): readonly Plan[] {
    return (finding.repairs ?? []).flatMap((repair) => {
      if (this.settled.has(toKey(finding, repair))) return [];
      const edit = this.checked.planEdit(finding, repair.change);
      return edit === null || !this.mayEdit(edit) ? [] : [{ finding, repair, edit }];
    });
  }

  /** Makes all of them or, where they would make things worse together, as many as do no harm. False if none was made. */
  private tryAll(plans: readonly Plan[]): boolean {
    if (this.tryPlans(plans)) return true;
    if (plans.length === 1 || this.trials > MAX_TRIALS) {
      for (const { finding, repair } of plans) this.settled.add(toKey(finding, repair));
      return false;
    }
    // What the first half leaves is planned anew: the edits of the second were planned against the text before.
    const half = plans.slice(0, Math.ceil(plans.length / 2));
    return this.tryAll(half) || this.tryAll(plans.slice(half.length));
  }

  private tryPlans(plans: readonly Plan[]): boolean {
    this.trials += 1;
    const { files, applied } = editFiles(
      this.files,
      plans.map((plan) => plan.edit),
    );
    const checked = this.check(files);
    if (applied.length === 0 || isWorse(checked, this.checked)) return false;
    const kept = plans.filter((plan) => applied.includes(plan.edit));
    this.made.push(...kept.map(({ finding, repair, edit }) => ({ file: finding.file, line: lineOf(edit), title: repair.title })));
    // A repair that leaves its finding as it is must not be made again and again.
    for (const { finding, repair } of kept) this.settled.add(toKey(finding, repair));
    this.files = files;
    this.checked = checked;
    return true;
  }

  private check(files: EditedFiles): CheckedConfig {
    return checkConfig({ ...this.request, prompt: 'optional', readText: readEdited(files, this.readText) });
  }
}

function isWorse(after: CheckedConfig, before: CheckedConfig): boolean {
  if (after.topology === null && before.topology !== null) return true;
  const more = count(after, 'error') - count(before, 'error');
  return more > 0 || (more === 0 && count(after, 'warning') > count(before, 'warning'));
}

function count({ diagnostics }: CheckedConfig, severity: Diagnostic['severity']): number {
  return diagnostics.filter((finding) => finding.severity === severity).length;
}

function lineOf({ file, start }: TextEdit): number {
  return file.lineStarts.findLastIndex((lineStart) => lineStart <= start) + 1;
}

/** The line itself stands for the place: its number moves with every line that is added above. */
function toKey({ code, file, message, excerpt, column }: Diagnostic, repair?: Repair): string {
  return JSON.stringify([code, file, message, excerpt.text, column, repair?.title ?? null, repair?.change ?? null]);
}
