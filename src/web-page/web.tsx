/** The page that `ralph web` serves. */
import { render } from 'preact';
import { App } from './app.tsx';
import { createHttpSource } from './data/http-source.ts';
import { formatRoute, NO_ROUTE } from './data/route.ts';
import { openSession } from './data/session.ts';

const root = document.getElementById('root') ?? document.body;
const session = await openSession();
if ('refused' in session) {
  render(
    <main>
      <h1>Ralph</h1>
      <p class="problem">{session.refused}</p>
    </main>,
    root,
  );
} else {
  let canSteer = true;
  const source = createHttpSource(session.token, () => canSteer);
  source.list().then(
    (list) => {
      canSteer = list.canSteer;
      // Who has gone somewhere meanwhile stays there.
      if (session.isNew && list.opens !== undefined && location.hash === '#/')
        location.replace(formatRoute({ ...NO_ROUTE, run: list.opens }));
    },
    () => undefined,
  );
  render(<App source={source} only={null} onList={(list) => (canSteer = list.canSteer)} />, root);
}
