import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { AspyError } from '../../shared/contract/errors.ts'
import '../styles/base.css'
import { connectLiveStore } from '../lib/live/live-connection.ts'
import { LiveStoreProvider } from '../lib/live/live-context.tsx'
import { LiveStore } from '../lib/live/live-store.ts'
import { startDensity } from '../lib/density.ts'
import { budgetNews } from '../lib/budgets.ts'
import { notify } from '../lib/notices.ts'
import { operationQuery } from '../lib/operation.ts'
import { signInFromAddress } from '../lib/sign-in.ts'
import { configuredTheme, startTheme } from '../lib/theme.ts'
import { createWindowRouter } from './routes.tsx'
import { SignInGate } from './sign-in-gate.tsx'
import { watchConnection } from './watch-connection.ts'

startTheme()
startDensity()

const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: false,
      // An AspyError needs the user to act first. If the app does not answer, queries wait until it is back.
      retry: (failures, error) => (error instanceof AspyError ? error.code === 'unreachable' : failures < 2),
    },
    // User actions are never queued for later.
    mutations: { networkMode: 'always' },
  },
})
const store = new LiveStore()
const router = createWindowRouter()
const root = document.getElementById('root')

/** Applies the theme from the settings unless the user chose one in this browser. */
async function readConfiguredTheme(): Promise<void> {
  const { items } = await queryClient.fetchQuery(operationQuery('config.get', {}))
  configuredTheme(items.find((setting) => setting.key === 'app.theme')?.value)
}

const OTHER_VIEWS_MS = 2000
const NEXT_VIEW_MS = 200

/** Loads the code of the views that are not open, one after the other: the app may be away when one is opened. */
async function loadOtherViews(): Promise<void> {
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  await wait(OTHER_VIEWS_MS)
  for (const { options } of Object.values(router.routesById)) {
    const { component } = options as { readonly component?: { preload?(): Promise<unknown> } }
    await component?.preload?.()
    await wait(NEXT_VIEW_MS)
  }
}

/** Feeds the store as long as the page is shown. */
function followLive(): void {
  const connect = () =>
    connectLiveStore(
      store,
      (reached) => {
        notify(reached.map(budgetNews).join(' · '), 'warn')
        void queryClient.invalidateQueries({ queryKey: ['budgets.status'] })
      },
      (sessions) => void queryClient.invalidateQueries({ predicate: ({ queryKey }) => concerns(queryKey, sessions) }),
      (news) => {
        notify(news.map(({ title, text }) => `${title}: ${text}`).join(' · '), 'warn')
        void queryClient.invalidateQueries({ queryKey: ['limits.latest'] })
      },
    )
  let disconnect = connect()
  // A page that the browser keeps for Back keeps its connection, too: after six of them, no request gets through.
  addEventListener('pagehide', () => disconnect())
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) disconnect = connect()
  })
}

async function start(): Promise<void> {
  if (!root) throw new Error('index.html has no #root')
  watchConnection(queryClient)
  await signInFromAddress()
  followLive()
  readConfiguredTheme().catch(() => {
    // The theme is optional; the view that opens reports the same failure.
  })
  loadOtherViews().catch(() => {
    // A view that is opened loads its code, and reports if it cannot.
  })
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <LiveStoreProvider value={store}>
          <SignInGate>
            <RouterProvider router={router} />
          </SignInGate>
        </LiveStoreProvider>
      </QueryClientProvider>
    </StrictMode>,
  )
}

/** True for queries about a session, and for lists of sessions and prompts. */
function concerns(queryKey: readonly unknown[], sessions: ReadonlySet<string>): boolean {
  const [name, ...parts] = queryKey
  const values = parts.flatMap((part) => (typeof part === 'object' && part !== null ? Object.values(part) : [part]))
  return /^(?:sessions|prompts)\./.test(String(name)) || values.some((value) => sessions.has(String(value)))
}

void start()
