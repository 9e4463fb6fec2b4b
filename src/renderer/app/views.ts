import {
  CircleDollarSign,
  HeartPulse,
  History,
  type LucideIcon,
  Radio,
  Settings,
  TextSearch,
  Wrench,
} from 'lucide-react'

export interface View {
  readonly to: '/live' | '/sessions' | '/recall' | '/costs' | '/tools' | '/health' | '/settings'
  readonly name: string
  readonly icon: LucideIcon
  /** Second key after `g`. */
  readonly key: string
  readonly about: string
}

/** The rail, top to bottom. */
export const VIEWS: readonly View[] = [
  { to: '/live', name: 'Live', icon: Radio, key: 'l', about: 'what happens now' },
  { to: '/sessions', name: 'Sessions', icon: History, key: 's', about: 'what happened' },
  { to: '/recall', name: 'Recall', icon: TextSearch, key: 'r', about: 'find what was said' },
  { to: '/costs', name: 'Costs', icon: CircleDollarSign, key: 'c', about: 'what it cost' },
  { to: '/tools', name: 'Tools', icon: Wrench, key: 't', about: 'what was run' },
  { to: '/health', name: 'Health', icon: HeartPulse, key: 'h', about: 'whether all is recorded' },
  { to: '/settings', name: 'Settings', icon: Settings, key: ',', about: 'every setting and what it does' },
]
