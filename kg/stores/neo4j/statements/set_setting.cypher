// Parameters: name, value
MERGE (setting:_Setting {name: $name})
SET setting.value = $value
