import {
  Bell,
  Bot,
  Brain,
  CircleCheck,
  CircleQuestionMark,
  CornerDownRight,
  FileSearch,
  Flag,
  FoldVertical,
  Gauge,
  GitBranch,
  Hash,
  ListChecks,
  type LucideIcon,
  MessageSquareText,
  OctagonPause,
  OctagonX,
  Play,
  TriangleAlert,
  UserRound,
  Wrench,
  ArrowUpRight,
  ArrowDownLeft,
} from 'lucide-react'
import type { EventKind } from '../../shared/event.ts'

export interface KindLook {
  readonly label: string
  readonly icon: LucideIcon
  /** Text color. The class is spelled out so that Tailwind finds it. */
  readonly color: string
}

/** Label, icon and color of each kind of event. */
export const KIND_LOOKS: Readonly<Record<EventKind, KindLook>> = {
  user_prompt: { label: 'Prompt', icon: UserRound, color: 'text-k-prompt' },
  thinking: { label: 'Thinking', icon: Brain, color: 'text-k-thinking' },
  assistant_text: { label: 'Answer', icon: MessageSquareText, color: 'text-k-text' },
  tool_call: { label: 'Tool call', icon: Wrench, color: 'text-k-tool' },
  tool_result: { label: 'Result', icon: CornerDownRight, color: 'text-k-result' },
  file_seen: { label: 'File seen', icon: FileSearch, color: 'text-k-result' },
  agent_started: { label: 'Agent started', icon: Bot, color: 'text-k-agent' },
  agent_ended: { label: 'Agent ended', icon: Bot, color: 'text-k-agent' },
  compaction: { label: 'Compaction', icon: FoldVertical, color: 'text-k-compaction' },
  error: { label: 'Error', icon: TriangleAlert, color: 'text-k-error' },
  model_request: { label: 'Request', icon: ArrowUpRight, color: 'text-k-system' },
  model_response: { label: 'Response', icon: ArrowDownLeft, color: 'text-k-system' },
  api_usage: { label: 'Token usage', icon: Hash, color: 'text-k-system' },
  rate_limit: { label: 'Limits', icon: Gauge, color: 'text-k-system' },
  session_started: { label: 'Session started', icon: Play, color: 'text-k-system' },
  session_ended: { label: 'Session ended', icon: Flag, color: 'text-k-system' },
  turn_ended: { label: 'Turn ended', icon: Flag, color: 'text-k-system' },
  task_update: { label: 'Tasks', icon: ListChecks, color: 'text-k-system' },
  state_change: { label: 'State', icon: GitBranch, color: 'text-k-system' },
  notification: { label: 'Notice', icon: Bell, color: 'text-k-system' },
  guard_action: { label: 'Guard', icon: OctagonPause, color: 'text-warn' },
  unknown: { label: 'Unknown', icon: CircleQuestionMark, color: 'text-k-system' },
}

/** Icon and color of the guard's actions that leave nothing to decide. */
const OUTCOMES: Readonly<Record<string, Omit<KindLook, 'label'>>> = {
  allowed: { icon: CircleCheck, color: 'text-good' },
  raised: { icon: CircleCheck, color: 'text-good' },
  refused: { icon: OctagonX, color: 'text-soft' },
  ended: { icon: OctagonX, color: 'text-soft' },
}

interface KindIconProps {
  readonly kind: EventKind
  /** What the guard did, if it is its action. */
  readonly action?: string | undefined
  readonly className?: string
}

/** Returns what the guard did, from the payload of its action. */
export const actionOf = (payload: object): string | undefined =>
  'action' in payload && typeof payload.action === 'string' ? payload.action : undefined

/** Returns the look of an event; that of the guard's depends on what it did. */
export const lookOf = (kind: EventKind, action?: string): KindLook => ({
  ...KIND_LOOKS[kind],
  ...(kind === 'guard_action' && OUTCOMES[action ?? '']),
})

/** The icon of a kind, labelled for assistive technology. */
export function KindIcon({ kind, action, className = 'size-4' }: KindIconProps) {
  const { icon: Icon, color, label } = lookOf(kind, action)
  return <Icon className={`shrink-0 ${color} ${className}`} strokeWidth={1.9} role="img" aria-label={label} />
}
