-- Written by `npm run schema` from the declarations in src/main/store/schema. Never edit it once it is on main.

ALTER TABLE api_usage ADD COLUMN context_tokens INTEGER;
