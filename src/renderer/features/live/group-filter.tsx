import { Toggle } from '../../components/button.tsx'
import { KIND_LOOKS } from '../../components/event-kind.tsx'
import { GROUP_NAMES, KIND_GROUPS, type KindGroup, shownGroups } from './live-search.ts'

interface GroupFilterProps {
  readonly show: string | undefined
  readonly onToggle: (group: KindGroup) => void
}

const LABELS: Readonly<Record<KindGroup, string>> = {
  prompts: 'Prompts',
  thinking: 'Thinking',
  answers: 'Answers',
  tools: 'Tools',
  agents: 'Agents',
  errors: 'Errors',
  traffic: 'Traffic',
}

/** Toggles for groups of event kinds. */
export function GroupFilter({ show, onToggle }: GroupFilterProps) {
  const shown = shownGroups(show)
  return (
    <div role="group" aria-label="Event kinds" className="one-line min-w-0 gap-1.5">
      {GROUP_NAMES.map((group) => {
        const kind = group === 'errors' ? 'error' : KIND_GROUPS[group][0]
        const { icon: Icon, color } = KIND_LOOKS[kind]
        return (
          <Toggle key={group} on={shown.includes(group)} onClick={() => onToggle(group)}>
            <Icon className={`size-3.5 ${shown.includes(group) ? color : ''}`} aria-hidden />
            {LABELS[group]}
          </Toggle>
        )
      })}
    </div>
  )
}
