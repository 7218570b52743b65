import type { TextEdit } from '../config/edit/text-edit.ts';
import { MAX_OF_A_KIND } from '../config/findings/diagnostics.ts';
import type { Diagnostic } from '../config/findings/located.ts';
import type { ReadText } from '../config/layers/read-text-file.ts';
import type { Repair } from '../core/schema/finding.ts';
import { type CheckedConfig, type CheckRequest, checkConfig } from './check-config.ts';
import { type EditedFiles, editFiles, pathOf, readEdited } from './edited-files.ts';

export interface RepairOptions {
  readonly request: CheckRequest;
  /** Whether a file may be changed, by the edit that would. */
  readonly mayEdit: (edit: TextEdit) => boolean;
  /** Checks that may be spent. Default 200. */
  readonly maxTrials?: number;
  /** Chooses among repairs that are not sure, or none of them: `first` the first of each finding, many at once; default: none. */
  readonly choose?: 'first' | ((finding: Diagnostic, repairs: readonly Repair[]) => Promise<Repair | null>);
}

export interface MadeRepair {
  /** As it is shown. */
  readonly file: string;
  /** Where it was made, in the text before it. */
  readonly line: number;
  readonly title: string;
}

/** A configuration after its repairs; nothing is written yet. */
export interface RepairedConfig {
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

type ChooseRepair = Exclude<NonNullable<RepairOptions['choose']>, 'first'>;

interface Plan {
  readonly finding: Diagnostic;
  readonly repair: Repair;
  readonly edit: TextEdit;
}

/** Checks that may be spent, most of them on finding out which of several repairs makes things worse. */
const MAX_TRIALS = 200;
/** A repair may bring more to light that can be repaired: so many rounds of it. */
const MAX_FOLLOWING = 5;

interface Outcome {
  readonly files: EditedFiles;
  readonly checked: CheckedConfig;
  readonly made: readonly MadeRepair[];
  /** The keys of the repairs that were made. */
  readonly kept: ReadonlySet<string>;
}

/**
 * Repairs a configuration: what is sure at once, the rest as it is chosen. Every change is tried on the text and the whole result checked: one
 * that brings an error that was not there, or leaves the finding that it was to take away, is not made and not offered; the next one of the
 * finding is tried instead.
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
  readonly #settled = new Set<string>();
  /** Repairs that would make things worse as they are now. */
  readonly #harmful = new Set<string>();
  readonly #request: CheckRequest;
  readonly #mayEdit: RepairOptions['mayEdit'];
  readonly #readText: ReadText | undefined;
  readonly #maxTrials: number;
  #trials = 0;

  constructor({ request, mayEdit, maxTrials = MAX_TRIALS }: RepairOptions) {
    this.#request = request;
    this.#mayEdit = mayEdit;
    this.#maxTrials = maxTrials;
    this.#readText = request.readText;
    this.checked = this.#check(this.files);
  }

  /** Round after round, until nothing is left that is sure and does no harm. */
  repairSure(): void {
    for (let plans = this.#listPlans(); plans.length > 0 && this.#mayTry(); plans = this.#listPlans()) this.#tryAll(plans);
  }

  /** Round after round the first repair of every finding, until nothing is left that does no harm. */
  repairFirst(): void {
    const listAll = (): readonly Plan[] => this.#listPlans('all');
    for (let plans = listAll(); plans.length > 0 && this.#mayTry(); plans = listAll()) {
      this.#tryAll(plans);
      this.repairSure();
    }
  }

  /** As long as somebody answers; what an answer brings about is bounded as everything is. */
  async repairChosen(choose: ChooseRepair): Promise<void> {
    for (let finding = this.#nextOpen(); finding !== undefined && this.#mayTry(); finding = this.#nextOpen()) {
      this.#settled.add(toKey(finding));
      const offers = this.#plansOf(finding).flatMap((plan) => {
        const outcome = this.#tryPlans([plan]);
        return outcome === null ? [] : [{ repair: plan.repair, outcome }];
      });
      if (offers.length === 0) continue;
      const repair = await choose(
        finding,
        offers.map((offer) => offer.repair),
      );
      const offer = offers.find((candidate) => candidate.repair === repair);
      if (offer === undefined) continue;
      this.#adopt(offer.outcome);
      this.repairSure();
    }
  }

  #nextOpen(): Diagnostic | undefined {
    return this.checked.diagnostics.find((finding) => !this.#settled.has(toKey(finding)) && this.#plansOf(finding).length > 0);
  }

  /**
   * One repair for each error that has one that is sure or, with `all`, any: its first that did no harm. What is less may follow from an error,
   * so its turn comes when no error is left to repair.
   */
  #listPlans(which: 'sure' | 'all' = 'sure', checked = this.checked): readonly Plan[] {
    const plans = checked.diagnostics.flatMap((finding) =>
      this.#plansOf(finding, checked)
        .filter(({ repair }) => (which === 'all' || repair.isSafe) && !this.#harmful.has(toKey(finding, repair)))
        .slice(0, 1),
    );
    const errors = plans.filter(({ finding }) => finding.severity === 'error');
    return withoutTwins(errors.length > 0 ? errors : plans);
  }

  /** False, and noted, where all checks are spent. */
  #mayTry(): boolean {
    this.isCut ||= this.#trials >= this.#maxTrials;
    return !this.isCut;
  }

  #plansOf(finding: Diagnostic, checked = this.checked): readonly Plan[] {
    return (finding.repairs ?? []).flatMap((repair) => {
      if (this.#settled.has(toKey(finding, repair))) return [];
      const edit = checked.planEdit(finding, repair.change);
      return edit === null || !this.#mayEdit(edit) ? [] : [{ finding, repair, edit }];
    });
  }

  /** Makes all of them or, where they would make things worse together, some that do no harm. False if none was made. */
  #tryAll(plans: readonly Plan[]): boolean {
    const outcome = this.#tryPlans(plans);
    if (outcome !== null) {
      this.#adopt(outcome);
      return true;
    }
    if (plans.length === 1 || !this.#mayTry()) {
      for (const { finding, repair } of plans) this.#harmful.add(toKey(finding, repair));
      return false;
    }
    // What the first half leaves is planned anew: the edits of the second were planned against the text before.
    const half = plans.slice(0, Math.ceil(plans.length / 2));
    return this.#tryAll(half) || this.#tryAll(plans.slice(half.length));
  }

  /** What repairs, and those that are sure and come to light by them, lead to; `null` where that is worse, or a finding stays. */
  #tryPlans(plans: readonly Plan[]): Outcome | null {
    const { checked: before, files, made } = this;
    let outcome = this.#apply({ files, checked: before, made, kept: new Set() }, plans);
    const mended = plans.filter(({ finding, repair }) => outcome.kept.has(toKey(finding, repair)));
    for (let round = 0; round < MAX_FOLLOWING && isWorse(outcome.checked, before); round += 1) {
      const next = this.#listPlans('sure', outcome.checked).filter(({ finding, repair }) => !outcome.kept.has(toKey(finding, repair)));
      if (next.length === 0) break;
      outcome = this.#apply(outcome, next);
    }
    const isMended = hasMended(
      outcome.checked,
      before,
      mended.map(({ finding }) => finding),
    );
    return mended.length > 0 && isMended && !isWorse(outcome.checked, before) ? outcome : null;
  }

  #adopt({ files, checked, made, kept }: Outcome): void {
    for (const key of kept) this.#settled.add(key);
    this.#harmful.clear();
    this.files = files;
    this.checked = checked;
    this.made = made;
  }

  /** Of repairs that overlap only the first one is made. */
  #apply(onto: Outcome, plans: readonly Plan[]): Outcome {
    this.#trials += 1;
    const { files, applied } = editFiles(
      onto.files,
      plans.map((plan) => plan.edit),
    );
    const edits = new Set(applied);
    const kept = plans.filter((plan) => edits.has(plan.edit));
    for (const { edit } of kept) if (!this.originals.has(pathOf(edit))) this.originals.set(pathOf(edit), edit.file.text);
    return {
      files,
      checked: this.#check(files),
      made: [...onto.made, ...kept.map(({ finding, repair, edit }) => ({ file: finding.file, line: lineOf(edit), title: repair.title }))],
      kept: new Set([...onto.kept, ...kept.map(({ finding, repair }) => toKey(finding, repair))]),
    };
  }

  #check(files: EditedFiles): CheckedConfig {
    return checkConfig({ ...this.#request, prompt: 'optional', readText: readEdited(files, this.#readText) });
  }
}

/** A topic that is written in the place of another one needs not be added as well: where it is still missing then, it is planned anew. */
function withoutTwins(plans: readonly Plan[]): readonly Plan[] {
  const written = new Set(plans.flatMap(({ repair: { change } }) => (change.kind === 'replace' ? change.text : [])));
  return plans.filter(({ repair: { change } }) => change.kind !== 'add-item' || !written.has(change.item));
}

/** True if an error came that was not there before, or a warning in the place of something that was no error. */
function isWorse(after: CheckedConfig, before: CheckedConfig): boolean {
  if (after.topology === null && before.topology !== null) return true;
  if (hasNew(after, before, 'error')) return true;
  const fewer = listOf(after, 'error').length < listOf(before, 'error').length;
  return !fewer && listOf(after, 'warning').length > listOf(before, 'warning').length;
}

function hasNew(after: CheckedConfig, before: CheckedConfig, severity: Diagnostic['severity']): boolean {
  const [now, then] = [listOf(after, severity), listOf(before, severity)];
  const known = countBy(then, toIdentity);
  const kinds = countBy(then, toCode);
  const nowOfKind = countBy(now, toCode);
  // Of a kind that is told so often not all are told: those that are new may only have moved up.
  const isFull = ({ code }: Diagnostic): boolean => (kinds.get(code) ?? 0) >= MAX_OF_A_KIND && (nowOfKind.get(code) ?? 0) <= MAX_OF_A_KIND;
  return [
    ...countBy(
      now.filter((finding) => !isFull(finding)),
      toIdentity,
    ),
  ].some(([identity, count]) => count > (known.get(identity) ?? 0));
}

/** True if each of these findings is gone. */
function hasMended(after: CheckedConfig, before: CheckedConfig, mended: readonly Diagnostic[]): boolean {
  const [now, then] = [countBy(after.diagnostics, toIdentity), countBy(before.diagnostics, toIdentity)];
  return [...countBy(mended, toIdentity)].every(([identity, count]) => (now.get(identity) ?? 0) <= (then.get(identity) ?? 0) - count);
}

function listOf({ diagnostics }: CheckedConfig, severity: Diagnostic['severity']): readonly Diagnostic[] {
  return diagnostics.filter((finding) => finding.severity === severity);
}

function countBy(findings: readonly Diagnostic[], toName: (finding: Diagnostic) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const finding of findings) counts.set(toName(finding), (counts.get(toName(finding)) ?? 0) + 1);
  return counts;
}

function toCode({ code }: Diagnostic): string {
  return code;
}

/** What a finding is about, wherever it stands; what was perhaps meant may change with the text around it. */
function toIdentity({ code, file, message }: Diagnostic): string {
  return JSON.stringify([code, file, message.replace(/: (?:did you mean|is ')[\s\S]*$/, '')]);
}

function lineOf({ file, start }: TextEdit): number {
  return file.lineStarts.findLastIndex((lineStart) => lineStart <= start) + 1;
}

/** The line itself stands for the place: its number moves with every line that is added above. */
function toKey({ code, file, message, excerpt, column }: Diagnostic, repair?: Repair): string {
  return JSON.stringify([code, file, message, excerpt.text, column, repair?.title ?? null, repair?.change ?? null]);
}
