import type { Diagnostic, ReadText, TextEdit } from '../config/index.ts';
import type { Repair } from '../core/index.ts';
import { type CheckedConfig, type CheckRequest, checkConfig } from './check-config.ts';
import { type EditedFiles, editFiles, pathOf, readEdited } from './edited-files.ts';

/** What may be changed, and who is asked. */
export interface RepairOptions {
  readonly request: CheckRequest;
  /** Whether a file may be changed, by the edit that would. */
  readonly mayEdit: (edit: TextEdit) => boolean;
  /** Checks that may be spent. Default 200. */
  readonly maxTrials?: number;
  /** Chooses among repairs that are not sure, or none of them: `first` the first of each finding, many at once; default: none. */
  readonly choose?: 'first' | ((finding: Diagnostic, repairs: readonly Repair[]) => Promise<Repair | null>);
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
  /** The texts that these were made from, by absolute path. */
  readonly originals: EditedFiles;
  readonly made: readonly MadeRepair[];
  /** True if so many checks were spent that findings are left which could be repaired: to be run again. */
  readonly isCut: boolean;
}

type Chooser = Exclude<NonNullable<RepairOptions['choose']>, 'first'>;

/** A repair with the change that it makes. */
interface Plan {
  readonly finding: Diagnostic;
  readonly repair: Repair;
  readonly edit: TextEdit;
}

/** Checks that may be spent, most of them on finding out which of several repairs makes things worse. */
const MAX_TRIALS = 200;
/** A repair may bring more to light that can be repaired: so many rounds of it. */
const MAX_FOLLOWING = 5;

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
  if (options.choose === 'first') session.repairFirst();
  else if (options.choose !== undefined) await session.repairChosen(options.choose);
  const { checked, files, originals, made, isCut } = session;
  return { before, checked, files, originals, made, isCut };
}

class RepairSession {
  files: EditedFiles = new Map();
  checked: CheckedConfig;
  made: readonly MadeRepair[] = [];
  isCut = false;
  readonly originals = new Map<string, string>();
  /** Repairs that were made, and findings that were asked about: never again. */
  private readonly settled = new Set<string>();
  /** Repairs that would make things worse as they are now. */
  private readonly harmful = new Set<string>();
  private readonly request: CheckRequest;
  private readonly mayEdit: RepairOptions['mayEdit'];
  private readonly readText: ReadText | undefined;
  private readonly maxTrials: number;
  private trials = 0;

  constructor({ request, mayEdit, maxTrials = MAX_TRIALS }: RepairOptions) {
    this.request = request;
    this.mayEdit = mayEdit;
    this.maxTrials = maxTrials;
    this.readText = request.readText;
    this.checked = this.check(this.files);
  }

  /** Round after round, until nothing is left that is sure and does no harm. */
  repairSure(): void {
    for (let plans = this.listPlans(); plans.length > 0 && this.mayTry(); plans = this.listPlans()) this.tryAll(plans);
  }

  /** Round after round the first repair of every finding, until nothing is left that does no harm. */
  repairFirst(): void {
    const listAll = (): readonly Plan[] => this.listPlans('all');
    for (let plans = listAll(); plans.length > 0 && this.mayTry(); plans = listAll()) {
      this.tryAll(plans);
      this.repairSure();
    }
  }

  /** As long as somebody answers; what an answer brings about is bounded as everything is. */
  async repairChosen(choose: Chooser): Promise<void> {
    for (let finding = this.nextOpen(); finding !== undefined && this.mayTry(); finding = this.nextOpen()) {
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

  /**
   * One repair for each error that has one that is sure or, with `all`, its first; what is less may follow from an error, so its turn comes when no
   * error is left to repair.
   */
  private listPlans(which: 'sure' | 'all' = 'sure'): readonly Plan[] {
    const plans = this.checked.diagnostics.flatMap((finding) => {
      const possible = this.plansOf(finding, which === 'all' ? 1 : Number.POSITIVE_INFINITY);
      return possible.filter(({ repair }) => (which === 'all' || repair.isSafe) && !this.harmful.has(toKey(finding, repair))).slice(0, 1);
    });
    const errors = plans.filter(({ finding }) => finding.severity === 'error');
    return errors.length > 0 ? errors : plans;
  }

  /** False, and noted, where all checks are spent. */
  private mayTry(): boolean {
    this.isCut ||= this.trials >= this.maxTrials;
    return !this.isCut;
  }

  private plansOf(finding: Diagnostic, atMost = Number.POSITIVE_INFINITY): readonly Plan[] {
    return (finding.repairs ?? []).slice(0, atMost).flatMap((repair) => {
      if (this.settled.has(toKey(finding, repair))) return [];
      const edit = this.checked.planEdit(finding, repair.change);
      return edit === null || !this.mayEdit(edit) ? [] : [{ finding, repair, edit }];
    });
  }

  /** Makes all of them or, where they would make things worse together, some that do no harm. False if none was made. */
  private tryAll(plans: readonly Plan[]): boolean {
    if (this.tryPlans(plans)) return true;
    if (plans.length === 1 || !this.mayTry()) {
      for (const { finding, repair } of plans) this.harmful.add(toKey(finding, repair));
      return false;
    }
    // What the first half leaves is planned anew: the edits of the second were planned against the text before.
    const half = plans.slice(0, Math.ceil(plans.length / 2));
    return this.tryAll(half) || this.tryAll(plans.slice(half.length));
  }

  /** Makes repairs, and those that come to light by them; takes all back if what is left is worse. */
  private tryPlans(plans: readonly Plan[]): boolean {
    const { files, checked, made } = this;
    const kept = this.apply(plans);
    for (let round = 0; round < MAX_FOLLOWING && isWorse(this.checked, checked); round += 1) {
      const next = this.listPlans().filter((plan) => !kept.has(toKey(plan.finding, plan.repair)));
      if (next.length === 0) break;
      for (const key of this.apply(next)) kept.add(key);
    }
    if (kept.size > 0 && !isWorse(this.checked, checked)) {
      for (const key of kept) this.settled.add(key);
      this.harmful.clear();
      return true;
    }
    this.files = files;
    this.checked = checked;
    this.made = made;
    return false;
  }

  /** The keys of the repairs that were made: of those that overlap only the first one is. */
  private apply(plans: readonly Plan[]): Set<string> {
    this.trials += 1;
    const { files, applied } = editFiles(
      this.files,
      plans.map((plan) => plan.edit),
    );
    const edits = new Set(applied);
    const kept = plans.filter((plan) => edits.has(plan.edit));
    for (const { edit } of kept) if (!this.originals.has(pathOf(edit))) this.originals.set(pathOf(edit), edit.file.text);
    this.made = [
      ...this.made,
      ...kept.map(({ finding, repair, edit }) => ({ file: finding.file, line: lineOf(edit), title: repair.title })),
    ];
    this.files = files;
    this.checked = this.check(files);
    return new Set(kept.map(({ finding, repair }) => toKey(finding, repair)));
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
