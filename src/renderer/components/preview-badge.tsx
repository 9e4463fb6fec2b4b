import { Badge } from './badge.tsx'

/** Marks a session whose transcript is still being imported. */
export const PreviewBadge = () => (
  <Badge title="Tokens and cost come first. Texts and tool calls follow with the import">importing</Badge>
)
