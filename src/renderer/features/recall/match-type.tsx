import {
  Bookmark,
  Brain,
  Flag,
  FoldVertical,
  type LucideIcon,
  MessageSquareText,
  UserRound,
  Wrench,
} from 'lucide-react'
import type { Hit } from '../../../shared/contract/recall.ts'

export const MATCH_LOOKS: Readonly<Record<Hit['match_type'], { label: string; icon: LucideIcon; color: string }>> = {
  user_prompt: { label: 'Prompt', icon: UserRound, color: 'text-k-prompt' },
  assistant_response: { label: 'Answer', icon: MessageSquareText, color: 'text-k-text' },
  thinking: { label: 'Thinking', icon: Brain, color: 'text-k-thinking' },
  compaction: { label: 'Compaction', icon: FoldVertical, color: 'text-k-compaction' },
  tool: { label: 'Tool', icon: Wrench, color: 'text-k-tool' },
  episode: { label: 'Episode', icon: Flag, color: 'text-k-compaction' },
  memory: { label: 'Memory', icon: Bookmark, color: 'text-accent' },
}

/** The kind of text a hit was found in. */
export function MatchType({ type }: { type: Hit['match_type'] }) {
  const { label, icon: Icon, color } = MATCH_LOOKS[type]
  return (
    <span className={`inline-flex items-center gap-1.5 text-meta font-medium ${color}`}>
      <Icon className="size-4" strokeWidth={1.9} aria-hidden />
      {label}
    </span>
  )
}
