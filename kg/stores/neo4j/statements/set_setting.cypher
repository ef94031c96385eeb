// Parameters: name, value, sequence
MERGE (setting:_Setting {name: $name})
SET setting.value = $value, setting.sequence = $sequence
