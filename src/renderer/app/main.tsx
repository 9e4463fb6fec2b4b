import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { AspyError } from '../../shared/contract/errors.ts'
import '../styles/base.css'
import { connectLiveStore } from '../lib/live/live-connection.ts'
import { LiveStoreProvider } from '../lib/live/live-context.tsx'
import { createLiveStore } from '../lib/live/live-store.ts'
import { budgetNews, budgetsQuery } from '../lib/budgets.ts'
import { call } from '../lib/client.ts'
import { say } from '../lib/notices.ts'
import { signInFromAddress } from '../lib/sign-in.ts'
import { configuredTheme, startTheme } from '../lib/theme.ts'
import { createWindowRouter } from './routes.tsx'
import { SignInGate } from './sign-in-gate.tsx'

startTheme()

const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: false,
      // What a person must mend does not mend itself: only failures of the way there are tried again.
      retry: (failures, error) => failures < 2 && !(error instanceof AspyError),
    },
  },
})
const store = createLiveStore()
const router = createWindowRouter()
const root = document.getElementById('root')

/** The theme of the settings, where none was chosen in this browser. */
async function readConfiguredTheme(): Promise<void> {
  const { items } = await queryClient.fetchQuery({ queryKey: ['config.get'], queryFn: () => call('config.get', {}) })
  configuredTheme(items.find((setting) => setting.key === 'app.theme')?.value)
}

async function start(): Promise<void> {
  if (!root) throw new Error('index.html has no #root')
  await signInFromAddress()
  connectLiveStore(store, (reached) => {
    say(reached.map(budgetNews).join(' · '), 'warn')
    void queryClient.invalidateQueries({ queryKey: budgetsQuery.queryKey })
  })
  readConfiguredTheme().catch(() => {
    // Colours are not worth a message: the view that opens says what is wrong.
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

void start()
