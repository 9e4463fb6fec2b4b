import type { ReactNode } from 'react'
import { getRouteApi } from '@tanstack/react-router'
import { useRef } from 'react'
import { Page } from '../../components/page.tsx'
import { useHotkeys } from '../../lib/hotkeys.ts'
import { HitsTab } from './hits-tab.tsx'
import { PromptsTab } from './prompts-tab.tsx'

const route = getRouteApi('/recall')

/** Find what was said and done, choose from it, take it along. */
export function RecallPage(): ReactNode {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const input = useRef<HTMLInputElement>(null)
  useHotkeys({ '/': () => input.current?.select() })
  const tabs = [
    { name: 'Search', tab: undefined },
    { name: 'All prompts', tab: 'prompts' },
  ] as const
  return (
    <Page
      title="Recall"
      actions={
        <div
          role="group"
          aria-label="What to show"
          className="inline-flex rounded-small border border-line-strong bg-surface p-0.5"
        >
          {tabs.map(({ name, tab }) => (
            <button
              key={name}
              type="button"
              aria-pressed={search.tab === tab}
              onClick={() => void navigate({ search: { ...search, tab } })}
              className={`bar h-7 rounded-[0.3rem] px-3 text-[0.8rem] ${search.tab === tab ? 'bg-accent-soft font-semibold text-accent' : 'text-soft hover:bg-hover'}`}
            >
              {name}
            </button>
          ))}
        </div>
      }
    >
      {search.tab === 'prompts' ? <PromptsTab input={input} /> : <HitsTab input={input} />}
    </Page>
  )
}
