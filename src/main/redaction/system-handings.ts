import type { Handing } from './handings.ts'

/** What registries, directories, servers and debuggers print or take. */
export const SYSTEM_HANDINGS: readonly Handing[] = [
  // Sessions and codes of browsers.
  {
    anchors: ['PHPSESSID=', 'JSESSIONID=', 'SessionId='],
    value: /^()([\w%.-]{16,380})/,
    isMixed: true,
  },
  { anchors: ['.authorization.k8s.io.'], value: /^()([\w-]{20,2000})/ },
  // What Redis answers: a name and, on the next line, its value.
  {
    anchors: ['pass', 'password', 'secret', 'token', 'key', 'auth'].flatMap((name) => [`${name}"`, `${name}\\"`]),
    before: /\d\) \\{0,7}"[\w.:-]*$/,
    value: /^((?:\r?\n|\\n)[ \t]*\d{1,4}\) \\{0,7}")([^"\n\\]{4,200})(?=\\{0,7}")/,
    isMixed: true,
  },
  {
    anchors: ['GET ', 'get '],
    before: /(?:^|[\n>→$"'`]|\\n|redis-cli[^\n]{0,60})[ \t]{0,4}[HM]?$/,
    value:
      /^((?:[\w.:-]{1,80} )?(?:[\w.-]{1,40}:){0,4}(?:\w{0,20}[_-])?(?:token|session|secret|passw\w{2,5}|api_?key|auth)(?:[:._-][\w:.@-]{0,80})?["']?(?:\r?\n|\\n)\\{0,7}"?)([^\s"'`\\]{12,400})(?=\\{0,7}"?[ \t]*(?:[\r\n"'`]|\\n|$))/i,
    isMixed: true,
  },
  {
    anchors: ['SET '],
    value:
      /^((?:[\w.-]{1,40}:){1,4}(?:\w{0,20}[_-])?(?:token|session|secret|passw\w{2,5}|api_?key|auth)(?:[:._-][\w:.@-]{0,80})?[ ]\\{0,7}["']?|(?:session|token|secret):[\w:.@-]{1,80}[ ]\\{0,7}["']?)([^\s"'`\\]{12,400})/i,
    isMixed: true,
  },
  { anchors: ['client-key-data'], value: /^(\\*"?: ?\\*"?)([\w+/]{12,4000}={0,2})(?=\.{3}|…)/ },
  // Keys of a storage account, as Spark names them, in a table and in JSON.
  {
    anchors: ['core.windows.net'],
    value: /^(\\*["'`]\s?[,:=]\s?\\*["'`])([\w+/]{40,90}={0,2})(?=\\*["'`])/,
    isMixed: true,
  },
  { anchors: ['FULL'], value: /^(\\{0,3}"?[\s,]{1,40}(?:\\{0,3}"value\\{0,3}": \\{0,3}")?)([\w+/]{86}==)/ },
  { anchors: ['<master>'], value: /^(\{?)([\w+/]{24,200}={0,2})(?=\}?<)/ },
  {
    anchors: ['ey for ', 'ey to '],
    value: /^((?:\w{1,20} ){0,3}API\b[^\n:]{0,20}: {1,2}["'`]?)([\w.~+/=-]{20,200})/,
    isDrawn: true,
  },
  // Values of the registry of Windows.
  {
    anchors: ['REG_SZ', 'REG_EXPAND_SZ'],
    before: /(?:pass(?:word|wd|phrase)?|pwd|secret|token|api_?key)\d?["']?[ \t]{1,20}(?:\/t )?$/i,
    value: /^((?:[ \t]{1,20}|[ \t]\/d[ \t]["']?))([^\s"'`\\]{3,200})/i,
  },
  // What a server says it made.
  {
    anchors: ['ew value: ', 'ew Value: '],
    before: /pass(?:word|phrase)[^\n]{0,90}(?:\n|\\n)\s{0,8}n$/i,
    value: /^()([^\s"'`\\]{8,100})/i,
  },
  // A person or a program that binds to a directory.
  {
    anchors: ['bind_s(', 'simple_bind(', '.bind('],
    value:
      /^(\s{0,4}\\{0,7}["'](?:cn|uid|dc|ou)=[^"'\n]{1,160}["'],\s{0,4}\\{0,7}["'])([^"'\n]{3,100})(?=\\{0,7}["'])/i,
  },
  // Hashes of Windows, as tools list them.
  {
    anchors: [':500:', ':501:', ':502:', ':503:', ':1000:', ':1001:', ':1002:', ':1003:', ':1103:', ':1104:', ':1105:'],
    value: /^()([\da-f]{32}:[\da-f]{32})(?=:::)/i,
  },
  { anchors: ["'*", '"*', '| *', '\t*'], value: /^()([\dA-F]{40})(?=['"\s\\|]|$)/ },
  {
    anchors: ['secure_link_md5 '],
    before: /(?:^|[\n;{])\s*$/,
    value: /^(["'][^"'\n]{0,80} )([^\s"'$]{4,100})(?=["'])/,
  },
  { anchors: ['APPID', 'appid'], value: /^(\\*["']?\s?[:=]\s?\\*["']?)([\da-f]{32})\b/ },
  // A debugger that prints what a program holds.
  {
    anchors: ['->pass', '->secret', '->token', '->pwd'],
    value: /^(\w{0,20}(?:\n|\\n)\$\d+ = (?:0x[\da-f]+ )?\\{0,7}")([^"\n\\]{3,200})(?=\\{0,7}")/,
  },
  // Redis.
  { anchors: ['on >'], before: /user \S{1,60}[^\n]{0,60} $/, value: /^()([^\s"'`\\]{3,100})/ },
  { anchors: ['SETUSER '], value: /^([^\n]{0,60}[ \t]>)([^\s"'`\\]{3,100})/ },
]
