import { KEY_FORMATS } from './key-formats.ts'
import { VALUE_RULES } from './value-rules.ts'

/** Beginnings, over and over, of what never comes. */
export const HOSTILE: readonly string[] = [
  ...[...KEY_FORMATS, ...VALUE_RULES].flatMap((rule) => rule.anchors.slice(0, 1)),
  'eyJ-',
  'eyJaaaaaaaa.aaaa',
  '://a:',
  '://a:a',
  '-----BEGIN RSA PRIVATE KEY-----',
  '-----BEGIN RSA PRIVATE KEY-----\nabc\n',
  '-----BEGIN A',
  'TOKEN_',
  'TOKEN = "a1',
  'Bearer aaaaaaaaaaaaaaa ',
  'Basic aaaaaaaaaaaaaaaaaaaaaaaa',
  ';Password=',
  String.raw`\u002d`,
  '\\',
  '\\u00',
  '%41AKIA',
  '[1;1;1mAKIA',
  'MTMT',
  'MTaaaaaaaaaaaaaaaaaaaaaa.',
  'a@',
  '@a.',
  '1//0 ',
  '/home/ada/home/adam',
]
