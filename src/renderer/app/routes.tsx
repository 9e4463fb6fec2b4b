import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router'
import { costsSearch } from '../features/costs/costs-search.ts'
import { receiptSearch } from '../features/costs/receipt/receipt-search.ts'
import { exchangeSearch } from '../features/exchange/exchange-search.ts'
import { HealthPage } from '../features/health/health-page.tsx'
import { LivePage } from '../features/live/live-page.tsx'
import { liveSearch } from '../features/live/live-search.ts'
import { RecallPage } from '../features/recall/recall-page.tsx'
import { recallSearchState } from '../features/recall/recall-search.ts'
import { SessionsPage } from '../features/sessions/list/sessions-page.tsx'
import { sessionSearch, sessionsSearch } from '../features/sessions/list/sessions-search.ts'
import { settingsSearch } from '../features/settings/settings-search.ts'
import { ToolsPage } from '../features/tools/tools-page.tsx'
import { toolsSearch } from '../features/tools/tools-search.ts'
import { loadView } from '../lib/load-view.ts'
import { HISTORY_FIELD } from '../lib/history.ts'
import { parseAddress, writeAddress } from '../lib/address.ts'
import { Broken, NotFound } from './not-found.tsx'
import { Shell } from './shell.tsx'

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  errorComponent: Broken,
  validateSearch: (search): { [HISTORY_FIELD]?: 'team' } =>
    search[HISTORY_FIELD] === 'team' ? { [HISTORY_FIELD]: 'team' } : {},
  // Every link in the window stays in the history that the window shows.
  search: { middlewares: [retainSearchParams([HISTORY_FIELD])] },
})

const parent = () => root

// One constant per route: an array literal would lose their types.
const home = createRoute({
  getParentRoute: parent,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/live', replace: true })
  },
})
const live = createRoute({ getParentRoute: parent, path: '/live', component: LivePage, validateSearch: liveSearch })
const sessions = createRoute({
  getParentRoute: parent,
  path: '/sessions',
  component: SessionsPage,
  validateSearch: sessionsSearch,
})
const session = createRoute({
  getParentRoute: parent,
  path: '/sessions/$sessionId',
  // The first paint needs no transcript.
  component: lazyRouteComponent(
    () => loadView(() => import('../features/sessions/session/session-page.tsx')),
    'SessionPage',
  ),
  validateSearch: sessionSearch,
})
const exchange = createRoute({
  getParentRoute: parent,
  path: '/exchanges/$uuid',
  component: lazyRouteComponent(() => loadView(() => import('../features/exchange/exchange-page.tsx')), 'ExchangePage'),
  validateSearch: exchangeSearch,
})
const recall = createRoute({
  getParentRoute: parent,
  path: '/recall',
  component: RecallPage,
  validateSearch: recallSearchState,
})
const costs = createRoute({
  getParentRoute: parent,
  path: '/costs',
  // Charts are a third of the window's code, so they load with the first view that draws one.
  component: lazyRouteComponent(() => loadView(() => import('../features/costs/costs-page.tsx')), 'CostsPage'),
  validateSearch: costsSearch,
})
const receipt = createRoute({
  getParentRoute: parent,
  path: '/costs/receipt',
  component: lazyRouteComponent(
    () => loadView(() => import('../features/costs/receipt/receipt-page.tsx')),
    'ReceiptPage',
  ),
  validateSearch: receiptSearch,
})
const advice = createRoute({
  getParentRoute: parent,
  path: '/costs/advice',
  component: lazyRouteComponent(() => loadView(() => import('../features/advice/advice-page.tsx')), 'AdvicePage'),
})
const tools = createRoute({ getParentRoute: parent, path: '/tools', component: ToolsPage, validateSearch: toolsSearch })
const guard = createRoute({
  getParentRoute: parent,
  path: '/guard',
  component: lazyRouteComponent(() => loadView(() => import('../features/settings/guard/guard-page.tsx')), 'GuardPage'),
})
const health = createRoute({ getParentRoute: parent, path: '/health', component: HealthPage })
const settings = createRoute({
  getParentRoute: parent,
  path: '/settings',
  // Loaded with the schema, which checks what is typed.
  component: lazyRouteComponent(() => loadView(() => import('../features/settings/settings-page.tsx')), 'SettingsPage'),
  validateSearch: settingsSearch,
})

const tree = root.addChildren([
  home,
  live,
  sessions,
  session,
  exchange,
  recall,
  costs,
  receipt,
  advice,
  guard,
  tools,
  health,
  settings,
])

/** Creates the router. Search parameters are plain strings that each view parses. */
export function createWindowRouter() {
  return createRouter({
    routeTree: tree,
    parseSearch: parseAddress,
    stringifySearch: writeAddress,
    defaultPendingMs: 200,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createWindowRouter>
  }
}
