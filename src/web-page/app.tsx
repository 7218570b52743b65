import { useEffect, useMemo, useState } from 'preact/hooks';
import type { RunList } from '../wire/run-list.ts';
import type { PageSource } from './data/page-source.ts';
import { formatRoute, NO_ROUTE, type PageRoute, parseRoute } from './data/route.ts';
import { RunListPage } from './panels/run-list.tsx';
import { RunPage } from './panels/run-page.tsx';

interface AppProps {
  readonly source: PageSource;
  /** The run that is shown where the address names none; `null`: the list. */
  readonly only: string | null;
  readonly onList?: (list: RunList) => void;
}

/** The page: the list of runs, or a run, as the address says. */
export function App({ source, only, onList }: AppProps) {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const read = (): void => setRoute(parseRoute(location.hash));
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  const key = only ?? route.run;
  const run = useMemo(() => (key === null ? null : source.open(key)), [source, key]);
  const go = (change: Partial<PageRoute>, isNew = false): void => {
    const next: PageRoute = { ...NO_ROUTE, ...route, run: key, ...change };
    const hash = formatRoute(next);
    if (isNew) history.pushState(null, '', hash);
    else history.replaceState(null, '', hash);
    setRoute(parseRoute(hash));
  };
  return (
    <>
      {only === null && (
        <nav aria-label="Ralph">
          <a href="#/">Ralph: all runs</a>
        </nav>
      )}
      {run === null ? (
        <RunListPage source={source} onList={(list) => onList?.(list)} />
      ) : (
        <RunPage source={run} isLive={source.isLive} route={route} go={go} />
      )}
    </>
  );
}
