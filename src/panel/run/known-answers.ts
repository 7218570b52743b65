import { hashSnapshot } from '../share/plan-work.ts';

interface KnownAnswer {
  readonly plain: string;
  readonly canonical: string;
  /** Where its work is now. */
  readonly work: () => string;
}

const WORK = /\n\[work [0-9a-f]{16}\]$/;

/** Answers of a panel: the same words are the same answer only where the work behind them is the same. */
export class KnownAnswers {
  readonly #known: KnownAnswer[] = [];

  /** One that was handed in before. */
  add(canonical: string, work: () => string): void {
    this.#known.push({ plain: canonical.replace(WORK, ''), canonical, work });
  }

  /**
   * What makes an answer the same as another: its words and, where there are such words already with other work behind them, a mark of its work.
   *
   * @param plain with the paths of its own workspace written in one way
   */
  async toCanonical(plain: string, work: () => string): Promise<string> {
    const others = this.#known.filter((known) => known.plain === plain);
    const entry = { plain, canonical: plain, work };
    if (others.length === 0) return this.#note(entry);
    const own = await hashSnapshot(work()).catch(() => null);
    for (const other of others) {
      const hash = await hashSnapshot(other.work()).catch(() => null);
      if (hash === own) return this.#note({ ...entry, canonical: other.canonical });
    }
    return this.#note({ ...entry, canonical: `${plain}\n[work ${own ?? '0'.repeat(16)}]` });
  }

  #note(entry: KnownAnswer): string {
    this.#known.push(entry);
    return entry.canonical;
  }
}
