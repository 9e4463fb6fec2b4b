import { useCanGoBack, useRouter } from '@tanstack/react-router'
import { ArrowLeft, Lightbulb } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { loaded } from '../../components/loaded.tsx'
import { Card, Page, PageBody } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'
import { ADVICE_GROUPS, adviceGroup } from '../../lib/advice-stake.ts'
import { useOperation } from '../../lib/operation.ts'
import { AdviceItem } from './advice-item.tsx'

/** Uuids of cases that are fetched of each suggestion. */
const EVIDENCE = 100

const TITLES = { open: 'Open', applied: 'Applied', dismissed: 'Dismissed' } as const
const NOTES = {
  open: 'nothing is changed until you apply it',
  applied: 'judged after ten more cases, compared with those before',
  dismissed: 'each comes back when it has twice as many cases',
} as const

/** All suggestions, each with its cases, its fix, and whether that helped. */
export function AdvicePage(): ReactNode {
  const query = useOperation('advice.list', { evidence: EVIDENCE })
  const empty = query.data?.items.length === 0 && (
    <Empty icon={Lightbulb} title="No suggestions">
      <p>A suggestion appears when something avoidable repeats: it takes at least ten sessions, pauses or calls.</p>
    </Empty>
  )
  return (
    <Page title="Suggestions" actions={<BackButton />}>
      {loaded({ query, rows: 6, label: 'Loading suggestions', empty }, ({ items }) => (
        <PageBody>
          <p className="max-w-4xl text-soft">
            What repeats in your sessions and costs more than it needs to. Apply makes the change shown, and Undo takes
            it back. After ten more cases, this page says whether it helped.
          </p>
          {ADVICE_GROUPS.map((name) => {
            const group = items.filter((item) => adviceGroup(item) === name)
            return (
              group.length > 0 && (
                <Card key={name} title={TITLES[name]} note={`${group.length} · ${NOTES[name]}`}>
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

/** Leads back to the view that one came from; to Costs if the window was opened here. */
function BackButton() {
  const router = useRouter()
  const back = useCanGoBack() ? () => router.history.back() : () => void router.navigate({ to: '/costs' })
  return (
    <Button look="ghost" onClick={back}>
      <ArrowLeft className="size-4" aria-hidden /> Back
    </Button>
  )
}
