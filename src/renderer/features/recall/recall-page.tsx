import { useRef, type ReactNode } from 'react'
import { getRouteApi } from '@tanstack/react-router'
import { Page } from '../../components/page.tsx'
import { Segments } from '../../components/segments.tsx'
import { useHotkeys } from '../../lib/hotkeys.ts'
import { HitsTab } from './hits-tab.tsx'
import { PromptsTab } from './prompts-tab.tsx'

const route = getRouteApi('/recall')

/** Searches everything recorded and packs hits to copy. */
export function RecallPage(): ReactNode {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const input = useRef<HTMLInputElement>(null)
  useHotkeys({ '/': () => input.current?.select() })
  return (
    <Page
      title="Recall"
      actions={
        <Segments
          label="Recall view"
          options={[
            { value: 'search', name: 'Search' },
            { value: 'prompts', name: 'All prompts' },
          ]}
          value={search.tab ?? 'search'}
          onChange={(tab) => void navigate({ search: (now) => ({ ...now, tab: tab === 'prompts' ? tab : undefined }) })}
        />
      }
    >
      {search.tab === 'prompts' ? <PromptsTab input={input} /> : <HitsTab input={input} />}
    </Page>
  )
}
