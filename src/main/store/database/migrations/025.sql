-- The tier of a call, and by which rates it is priced. Calls recorded before have both after the next rebuild.
ALTER TABLE api_usage ADD COLUMN service_tier TEXT;
ALTER TABLE api_usage ADD COLUMN price_basis TEXT; -- list, batch, assumed_list (the tier's own price is not known)
