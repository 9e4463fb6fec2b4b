import type { ReactNode } from 'react'
import { Segments } from '../../../components/segments.tsx'
import { SESSION_TABS, type SessionTab } from '../list/sessions-search.ts'

/** Tab names on screen. The keys are part of the address and must not change. */
const TAB_NAMES: Readonly<Record<SessionTab, string>> = {
  transcript: 'Transcript',
  timeline: 'Timeline',
  lineage: 'Trace',
  requests: 'Requests',
  numbers: 'Usage',
  files: 'Files changed',
}

interface SessionBarProps {
  readonly tab: SessionTab
  readonly onTab: (tab: SessionTab) => void
  /** The prompts to jump to, where the outline has no room. */
  readonly prompts: ReactNode
  /** Opens the pack. */
  readonly pack: ReactNode
  readonly find: ReactNode
}

/** The views of a session, the pack and the search in it. */
export function SessionBar({ tab, onTab, prompts, pack, find }: SessionBarProps) {
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-3 border-b px-6 pb-2.5 max-[700px]:gap-2 max-[700px]:px-3">
      <Segments
        label="Session view"
        options={SESSION_TABS.map((name, at) => ({
          value: name,
          name: TAB_NAMES[name],
          title: `${TAB_NAMES[name]} (${at + 1})`,
        }))}
        value={tab}
        onChange={onTab}
      />
      <div className="min-w-0 flex-1 basis-0 empty:hidden min-[700px]:min-w-24 min-[700px]:max-w-28 min-[1000px]:max-w-none min-[1000px]:flex-none min-[1000px]:basis-auto min-[1240px]:hidden">
        {prompts}
      </div>
      <div className="ml-auto flex min-w-0 flex-wrap items-center justify-end gap-2 max-[1000px]:flex-[2] max-[1000px]:basis-28 max-[700px]:basis-0">
        {pack}
        {find}
      </div>
    </div>
  )
}
