import { Badge } from './badge.tsx'

/** Marks a session whose transcript is still being imported. */
export function PreviewBadge() {
  return <Badge title="Tokens and cost come first. Texts and tool calls follow with the import">importing</Badge>
}
