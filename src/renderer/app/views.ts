import {
  CircleDollarSign,
  HeartPulse,
  History,
  type LucideIcon,
  Radio,
  Settings,
  Shield,
  TextSearch,
  Wrench,
} from 'lucide-react'

export interface View {
  readonly to: '/live' | '/sessions' | '/recall' | '/costs' | '/guard' | '/tools' | '/health' | '/settings'
  readonly name: string
  readonly icon: LucideIcon
  /** Second key of the shortcut, after `g`. */
  readonly key: string
  readonly about: string
}

/** Views in the order of the navigation. */
export const VIEWS: readonly View[] = [
  { to: '/live', name: 'Live', icon: Radio, key: 'l', about: 'what is happening now' },
  { to: '/sessions', name: 'Sessions', icon: History, key: 's', about: 'every recorded session' },
  { to: '/recall', name: 'Recall', icon: TextSearch, key: 'r', about: 'search everything that was said' },
  { to: '/costs', name: 'Costs', icon: CircleDollarSign, key: 'c', about: 'spending by day, model and project' },
  { to: '/guard', name: 'Guard', icon: Shield, key: 'u', about: 'caps on spending, and how full they are' },
  { to: '/tools', name: 'Tools', icon: Wrench, key: 't', about: 'tool calls, durations and failures' },
  { to: '/health', name: 'Health', icon: HeartPulse, key: 'h', about: 'whether everything is recorded' },
  { to: '/settings', name: 'Settings', icon: Settings, key: ',', about: 'every setting' },
]
