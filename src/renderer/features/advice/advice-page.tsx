import { Lightbulb } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Advice } from '../../../shared/contract/advice.ts'
import { loaded } from '../../components/loaded.tsx'
import { Card, Page, PageBody } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'
import { useOperation } from '../../lib/operation.ts'
import { AdviceItem } from './advice-item.tsx'

/** Uuids of cases that are fetched of each suggestion. */
const EVIDENCE = 100

const GROUPS: readonly { readonly title: string; readonly has: (state: Advice['state']) => boolean }[] = [
  { title: 'Open', has: (state) => state === 'open' || state === 'undone' },
  { title: 'Tried', has: (state) => !['open', 'undone', 'dismissed'].includes(state) },
  { title: 'Dismissed', has: (state) => state === 'dismissed' },
]

/** All suggestions, each with its cases, its fix, and whether that helped. */
export function AdvicePage(): ReactNode {
  const query = useOperation('advice.list', { evidence: EVIDENCE })
  const empty = query.data?.items.length === 0 && (
    <Empty icon={Lightbulb} title="No suggestions">
      <p>A suggestion appears when something avoidable repeats: it takes at least ten sessions, pauses or calls.</p>
    </Empty>
  )
  return (
    <Page title="Suggestions">
      {loaded({ query, rows: 6, label: 'Loading suggestions', empty }, ({ items }) => (
        <PageBody>
          {GROUPS.map(({ title, has }) => {
            const group = items.filter(({ state }) => has(state))
            return (
              group.length > 0 && (
                <Card key={title} title={title} note={String(group.length)}>
                  <ul className="divide-y border-t">
                    {group.map((item) => (
                      <AdviceItem key={item.id} item={item} />
                    ))}
                  </ul>
                </Card>
              )
            )
          })}
        </PageBody>
      ))}
    </Page>
  )
}
